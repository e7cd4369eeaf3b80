`resetall
`default_nettype none

// dft96 computes the discrete Fourier transform of 96 numbers by its definition. It computes LANES results at a time,
// each as the sum of 96 products. A transform needs 9216 / LANES cycles. During this time, dft96 receives the next
// numbers.
module dft96 #(
    // 0 for the forward transform, otherwise the inverse. The inverse receives complex numbers, divides by 96, and
    // sends the real part.
    parameter INVERSE = 0,
    // Results at a time; a divisor of 96.
    parameter LANES = 8,
    // Bits of a number in, signed; at least 2.
    parameter IN = 16,
    // Bits removed from a sum, with rounding to the nearest; at least 1.
    parameter SHIFT = 6
) (
    input  wire          clk,
    input  wire          rst,
    input  wire          s_axis_tvalid,
    output wire          s_axis_tready,
    input  wire [IN-1:0] s_axis_re_tdata,
    input  wire [IN-1:0] s_axis_im_tdata, // only for the inverse
    output wire          m_axis_tvalid,
    input  wire          m_axis_tready,
    output wire [31:0]   m_axis_re_tdata,
    output wire [31:0]   m_axis_im_tdata // only for the forward transform
);
    localparam [6:0] LAST = 95;
    localparam [6:0] GROUPS = 96 / LANES;
    localparam [6:0] STEP = LANES;
    initial begin
        if (LANES < 1 || 96 % LANES != 0)
            $fatal(1, "%m: LANES is %0d, expected a divisor of 96", LANES);
        if (IN < 2 || SHIFT < 1)
            $fatal(1, "%m: IN is %0d and SHIFT is %0d, expected IN at least 2 and SHIFT at least 1", IN, SHIFT);
    end

    // cosine returns cos(2 pi i / 96) times 2^14 or, for the inverse, times 2^20 / 96, rounded to the nearest integer.
    // The tables cover the first quarter of the circle. The other quarters follow by symmetry.
    function signed [15:0] cosine(input [6:0] i);
        reg [6:0] quarter;
        reg signed [15:0] size;
        begin
            quarter = i <= 24 ? i : i <= 48 ? 7'd48 - i : i <= 72 ? i - 7'd48 : 7'd96 - i;
            if (INVERSE != 0)
                case (quarter)
                0: size = 10923; 1: size = 10899; 2: size = 10829; 3: size = 10713; 4: size = 10550;
                5: size = 10343; 6: size = 10091; 7: size = 9796; 8: size = 9459; 9: size = 9082;
                10: size = 8666; 11: size = 8212; 12: size = 7723; 13: size = 7202; 14: size = 6649;
                15: size = 6068; 16: size = 5461; 17: size = 4831; 18: size = 4180; 19: size = 3511;
                20: size = 2827; 21: size = 2131; 22: size = 1426; 23: size = 714; 24: size = 0;
                default: size = 0;
                endcase
            else
                case (quarter)
                0: size = 16384; 1: size = 16349; 2: size = 16244; 3: size = 16069; 4: size = 15826;
                5: size = 15515; 6: size = 15137; 7: size = 14694; 8: size = 14189; 9: size = 13623;
                10: size = 12998; 11: size = 12318; 12: size = 11585; 13: size = 10803; 14: size = 9974;
                15: size = 9102; 16: size = 8192; 17: size = 7246; 18: size = 6270; 19: size = 5266;
                20: size = 4240; 21: size = 3196; 22: size = 2139; 23: size = 1072; 24: size = 0;
                default: size = 0;
                endcase
            cosine = i > 24 && i < 72 ? -size : size;
        end
    endfunction
    function [6:0] back(input [6:0] i); // sin x = cos(x - pi / 2)
        back = i >= 24 ? i - 7'd24 : i + 7'd72;
    endfunction

    // Input numbers: two banks, one written while the other is read.
    reg [2*IN-1:0] memory [0:255];
    reg [6:0] written;
    reg write_bank, read_bank;
    reg [1:0] full;
    assign s_axis_tready = !full[write_bank];
    wire write = s_axis_tvalid && s_axis_tready;

    // The position of the sums: number n of the current group.
    reg [6:0] n, group;
    reg run; // numbers are read
    wire go; // the pipeline moves
    wire last_n = n == LAST;
    wire last_group = group == GROUPS - 1'b1;
    wire finish = go && run && last_n && last_group;
    reg [2*IN-1:0] x1;
    reg valid1, first1, last1, valid2, first2, last2, valid3, first3, last3, complete;
    always @(posedge clk) begin
        if (write)
            memory[{write_bank, written}] <= {s_axis_im_tdata, s_axis_re_tdata};
        if (go)
            x1 <= memory[{read_bank, n}];
        if (rst) begin
            written <= 0;
            write_bank <= 1'b0;
            read_bank <= 1'b0;
            full <= 0;
            n <= 0;
            group <= 0;
            run <= 1'b0;
        end else begin
            if (write) begin
                written <= written == LAST ? 7'd0 : written + 1'b1;
                if (written == LAST) begin
                    full[write_bank] <= 1'b1;
                    write_bank <= !write_bank;
                end
            end
            if (go) begin
                run <= full[read_bank] && !finish;
                if (run) begin
                    n <= last_n ? 7'd0 : n + 1'b1;
                    if (last_n)
                        group <= last_group ? 7'd0 : group + 1'b1;
                end
                if (finish) begin
                    full[read_bank] <= 1'b0;
                    read_bank <= !read_bank;
                end
            end
        end
    end

    // Results wait until the previous results have left.
    reg [6:0] left;
    wire load = complete && (left == 0 || (left == 1 && m_axis_tready));
    assign go = !complete || load;
    assign m_axis_tvalid = left != 0;
    always @(posedge clk) begin
        if (go) begin
            first1 <= n == 0;
            last1 <= last_n;
            first2 <= first1;
            last2 <= last1;
            first3 <= first2;
            last3 <= last2;
        end
        if (rst) begin
            valid1 <= 1'b0;
            valid2 <= 1'b0;
            valid3 <= 1'b0;
            complete <= 1'b0;
            left <= 0;
        end else begin
            if (go) begin
                valid1 <= run;
                valid2 <= valid1;
                valid3 <= valid2;
                complete <= valid3 && last3;
            end
            if (load)
                left <= STEP;
            else if (m_axis_tvalid && m_axis_tready)
                left <= left - 1'b1;
        end
    end

    reg [IN-1:0] re2, im2;
    always @(posedge clk)
        if (go) begin
            re2 <= x1[IN-1:0];
            im2 <= x1[2*IN-1:IN];
        end
    wire [32*LANES-1:0] results_re, results_im;
    reg [32*LANES-1:0] leaving_re, leaving_im;
    assign m_axis_re_tdata = leaving_re[31:0];
    assign m_axis_im_tdata = leaving_im[31:0];
    always @(posedge clk)
        if (load) begin
            leaving_re <= results_re;
            leaving_im <= results_im;
        end else if (m_axis_tready) begin
            leaving_re <= leaving_re >> 32;
            leaving_im <= leaving_im >> 32;
        end

    genvar l;
    generate
        for (l = 0; l < LANES; l = l + 1) begin : lane
            // k is the number of this lane's result. at is k n modulo 96.
            reg [6:0] k, at;
            wire [7:0] next = {1'b0, at} + {1'b0, k};
            reg [6:0] at1;
            reg signed [15:0] cosine2, sine2;
            reg signed [IN+15:0] a3, b3;
            reg signed [IN+23:0] a, b;
            wire signed [IN-1:0] real2 = re2, imaginary2 = im2;
            wire signed [IN+15:0] by_cosine = real2 * cosine2;
            wire signed [IN+15:0] by_sine = (INVERSE != 0 ? imaginary2 : real2) * sine2;
            localparam signed [IN+23:0] HALF = 1 << (SHIFT - 1);
            wire signed [IN+23:0] sum_a = a + HALF, sum_b = b + HALF;
            always @(posedge clk)
                if (rst) begin
                    k <= l;
                    at <= 0;
                end else if (go) begin
                    if (run) begin
                        at <= last_n ? 7'd0 : next >= 96 ? next[6:0] - 7'd96 : next[6:0];
                        if (last_n)
                            k <= last_group ? l : k + STEP;
                    end
                    at1 <= at;
                    cosine2 <= cosine(at1);
                    sine2 <= cosine(back(at1));
                    a3 <= by_cosine;
                    b3 <= by_sine;
                    if (valid3) begin
                        if (INVERSE != 0) begin
                            a <= (first3 ? 0 : a) + a3 - b3;
                            b <= 0;
                        end else begin
                            a <= (first3 ? 0 : a) + a3;
                            b <= (first3 ? 0 : b) - b3;
                        end
                    end
                end
            assign results_re[32*l +: 32] = sum_a >>> SHIFT;
            assign results_im[32*l +: 32] = sum_b >>> SHIFT;
        end
    endgenerate
endmodule

`resetall
