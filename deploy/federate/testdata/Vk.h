// Vk.h: in place of the model that Verilator makes: an edge in, an edge out, one kernel with taps.
#include <cstdint>
typedef uint8_t CData;
struct Vk {
    CData clk, rst, drain, activity, working, put, got, held;
    CData seen0_ask, seen0_valid, seen0_ready, seen0_state0;
    CData in_tvalid, in_tready, out_tvalid, out_tready;
    uint32_t in_tdata, out_tdata;
    CData command_valid, record_valid, record_ready, record_last;
    uint32_t command_data, record_data;
    void eval() {}
    void final() {}
};
