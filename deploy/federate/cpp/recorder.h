// recorder.h: records the data at the border of an FPGA in a folder, for comparison with the same hardware elsewhere.
// STREAM.data contains the words of each stream, and records contains the words of the agent's records. The file
// schedule contains the actions of the rest of the run. These are the number of elements of a stream that may have
// moved from a cycle on, the commands to drain, and the end of the run.
#ifndef RECORDER_H
#define RECORDER_H

#include <cinttypes>
#include <cstdio>
#include <map>
#include <string>
#include "fail.h"

class Recorder {
  public:
    explicit Recorder(const char *folder) : folder_(folder ? folder : "") {
        if (folder) {
            schedule_ = open("schedule");
            records_ = open("records");
        }
    }

    void frame(uint64_t cycles) { line("frame", cycles); }

    // limit records the number of elements of a stream that may have moved from a cycle on.
    void limit(const char *stream, uint64_t cycle, uint64_t elements) {
        if (schedule_)
            fprintf(schedule_, "limit %s %" PRIu64 " %" PRIu64 "\n", stream, cycle, elements);
    }

    void word(const char *stream, const void *bytes, size_t n) {
        if (!schedule_)
            return;
        FILE *&f = data_[stream];
        if (!f)
            f = open(std::string(stream) + ".data");
        fwrite(bytes, 1, n, f);
    }

    void drain(size_t part, uint64_t cycle) {
        if (schedule_)
            fprintf(schedule_, "drain %zu %" PRIu64 "\n", part, cycle);
    }

    // after is called after the clock edge, when a word of a record may be present.
    void after(const Vk *k) {
#if TAPS
        if (schedule_ && k->record_valid)
            fwrite(&k->record_data, sizeof k->record_data, 1, records_);
#else
        (void)k;
#endif
    }

    void end(uint64_t cycle) { line("end", cycle); }

    // close fails if some data could not be written.
    void close() {
        if (!schedule_)
            return;
        shut(schedule_, "schedule");
        shut(records_, "records");
        for (auto &[stream, f] : data_)
            shut(f, stream + ".data");
    }

  private:
    const std::string folder_;
    FILE *schedule_ = nullptr, *records_ = nullptr;
    std::map<std::string, FILE *> data_;

    FILE *open(const std::string &name) const {
        FILE *f = fopen((folder_ + "/" + name).c_str(), "wb");
        if (!f)
            fail("cannot write %s/%s: %s", folder_.c_str(), name.c_str(), strerror(errno));
        return f;
    }

    void shut(FILE *f, const std::string &name) const {
        const bool failed = ferror(f) != 0;
        if (fclose(f) != 0 || failed)
            fail("cannot write %s/%s: %s", folder_.c_str(), name.c_str(), strerror(errno));
    }

    void line(const char *word, uint64_t value) {
        if (schedule_)
            fprintf(schedule_, "%s %" PRIu64 "\n", word, value);
    }
};

#endif
