// phase: UP=1 DOWN=2 REST=0
module k #(parameter REST = 2'd0, parameter UP = 2'd1, parameter DOWN = 2'd2) (input wire clk, input wire rst,
    input wire go, input wire [7:0] x, output reg [7:0] y);
    reg [1:0] phase;
    always @(posedge clk) begin
        case (phase)
            REST: if (go) phase <= UP;
            UP: begin
                y <= y + 1'b1;
                if (y == x) phase <= DOWN;
            end
            DOWN: begin
                y <= y - 1'b1;
                if (y == 0) phase <= REST;
            end
        endcase
        if (rst) begin
            phase <= REST;
            y <= 8'd0;
        end
    end
endmodule
