// lane[0].st: WAIT=0 PASS=1 | lane[1].st: WAIT=0 PASS=1
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam [1:0] WAIT = 2'd0, PASS = 2'd1;
    wire [1:0] pass;
    genvar i;
    generate
        for (i = 0; i < 2; i = i + 1) begin : lane
            reg [1:0] st;
            assign pass[i] = st == PASS;
            always @(posedge clk)
                if (rst) st <= WAIT;
                else case (st)
                    WAIT: if (go && x[i]) st <= PASS;
                    PASS: if (!x[i]) st <= WAIT;
                    default: st <= WAIT;
                endcase
        end
    endgenerate
    always @(posedge clk) if (&pass) y <= x;
endmodule
