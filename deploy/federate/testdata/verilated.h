// verilated.h: in place of that of Verilator.
struct Verilated {
    static void commandArgs(int, char **) {}
};
