// rx: RX_IDLE=0 RX_BITS=1 RX_STOP=2 | tx: TX_IDLE=0 TX_BITS=1 TX_STOP=2
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam [1:0] RX_IDLE = 0, RX_BITS = 1, RX_STOP = 2;
    localparam [1:0] TX_IDLE = 0, TX_BITS = 1, TX_STOP = 2;
    reg [1:0] rx, tx;
    always @(posedge clk)
        if (rst) begin
            rx <= RX_IDLE;
            tx <= TX_IDLE;
        end else begin
            case (rx)
                RX_IDLE: if (go) rx <= RX_BITS;
                RX_BITS: if (x[0]) rx <= RX_STOP;
                RX_STOP: rx <= RX_IDLE;
            endcase
            case (tx)
                TX_IDLE: if (rx == RX_STOP) tx <= TX_BITS;
                TX_BITS: if (x[1]) tx <= TX_STOP;
                TX_STOP: tx <= TX_IDLE;
            endcase
        end
    always @(posedge clk) if (tx == TX_STOP) y <= x;
endmodule
