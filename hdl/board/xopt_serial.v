`resetall
`default_nettype none

// xopt_serial: registers over a serial line (8 bits, no parity, one stop bit), for boards without a faster interface.
// To write, a host sends W, an address of two bytes and a value of four bytes, and receives an A. To read, it sends R
// and an address, and receives the value. The lowest byte comes first. Other first bytes are ignored.
module xopt_serial #(
    // Cycles per bit; 4 to 65535.
    parameter DIVISOR = 104
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        rx,
    output wire        tx,
    output reg         write,
    output wire [13:0] write_word, // word address
    output wire [31:0] write_data,
    output reg         read,
    output wire [13:0] read_word,
    input  wire [31:0] read_data
);
    initial begin
        if (DIVISOR < 4 || DIVISOR > 65535)
            $fatal(1, "%m: DIVISOR is %0d, want 4 to 65535", DIVISOR);
    end
    localparam [15:0] LAST = DIVISOR - 1;
    localparam [15:0] HALF = DIVISOR / 2;

    // Receiver. Each bit is sampled in its middle.
    reg [2:0] line_reg;
    reg [15:0] in_clock_reg;
    reg [3:0] in_left_reg; // remaining bits: the start bit, eight data bits, the stop bit
    reg [7:0] in_reg;
    reg in_valid_reg;
    always @(posedge clk) begin
        line_reg <= {line_reg[1:0], rx};
        in_valid_reg <= 1'b0;
        if (in_left_reg == 4'd0) begin
            in_clock_reg <= HALF;
            if (!line_reg[2])
                in_left_reg <= 4'd10;
        end else if (in_clock_reg != 16'd0)
            in_clock_reg <= in_clock_reg - 16'd1;
        else begin
            in_clock_reg <= LAST;
            in_left_reg <= in_left_reg - 4'd1;
            if (in_left_reg == 4'd10 && line_reg[2]) // this is not a start bit
                in_left_reg <= 4'd0;
            if (in_left_reg != 4'd1)
                in_reg <= {line_reg[2], in_reg[7:1]};
            in_valid_reg <= in_left_reg == 4'd1 && line_reg[2];
        end
        if (rst) begin
            line_reg <= 3'b111;
            in_left_reg <= 4'd0;
            in_valid_reg <= 1'b0;
        end
    end

    // Request: W or R, two bytes, and four more for W.
    localparam [7:0] SAY_WRITE = 8'h57;
    localparam [7:0] SAY_READ = 8'h52;
    localparam [31:0] HEAR_WRITTEN = 32'h00000041;
    reg writes_reg; // the request is a write (W)
    reg [2:0] left_reg; // remaining bytes
    reg [15:0] address_reg;
    reg [31:0] value_reg;
    assign write_word = address_reg[15:2];
    assign read_word = address_reg[15:2];
    assign write_data = value_reg;
    always @(posedge clk) begin
        write <= 1'b0;
        read <= 1'b0;
        if (in_valid_reg) begin
            if (left_reg == 3'd0) begin
                writes_reg <= in_reg == SAY_WRITE;
                left_reg <= in_reg == SAY_WRITE ? 3'd6 : in_reg == SAY_READ ? 3'd2 : 3'd0;
            end else begin
                left_reg <= left_reg - 3'd1;
                if (left_reg > 3'd4 || !writes_reg)
                    address_reg <= {in_reg, address_reg[15:8]};
                else
                    value_reg <= {in_reg, value_reg[31:8]};
                write <= left_reg == 3'd1 && writes_reg;
                read <= left_reg == 3'd1 && !writes_reg;
            end
        end
        if (rst) begin
            left_reg <= 3'd0;
            write <= 1'b0;
            read <= 1'b0;
        end
    end

    // Response.
    reg [31:0] answer_reg; // next byte in the lowest bits
    reg [2:0] answers_reg; // remaining bytes
    reg [9:0] out_reg; // next bit in the lowest bit
    reg [3:0] out_left_reg; // remaining bits
    reg [15:0] out_clock_reg;
    assign tx = out_left_reg == 4'd0 || out_reg[0];
    always @(posedge clk) begin
        if (write || read) begin
            answer_reg <= write ? HEAR_WRITTEN : read_data;
            answers_reg <= write ? 3'd1 : 3'd4;
        end else if (out_left_reg == 4'd0 && answers_reg != 3'd0) begin
            answers_reg <= answers_reg - 3'd1;
            answer_reg <= answer_reg >> 8;
        end
        if (out_left_reg == 4'd0) begin
            out_clock_reg <= LAST;
            if (answers_reg != 3'd0 && !write && !read) begin
                out_reg <= {1'b1, answer_reg[7:0], 1'b0};
                out_left_reg <= 4'd10;
            end
        end else if (out_clock_reg != 16'd0)
            out_clock_reg <= out_clock_reg - 16'd1;
        else begin
            out_clock_reg <= LAST;
            out_reg <= {1'b1, out_reg[9:1]};
            out_left_reg <= out_left_reg - 4'd1;
        end
        if (rst) begin
            answers_reg <= 3'd0;
            out_left_reg <= 4'd0;
        end
    end
    wire unused = &{1'b0, address_reg[1:0]};
endmodule

`resetall
