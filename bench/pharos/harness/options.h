// options.h: the options of an experiment, in the form key=value. Values of each FPGA are a list separated by commas.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

class Options {
  public:
    Options(int argc, char **argv) {
        for (int i = 1; i < argc; i++) {
            std::string arg = argv[i];
            size_t at = arg.find('=');
            if (at == std::string::npos || arg[0] == '+')
                continue; // option of the simulator
            values_[arg.substr(0, at)] = arg.substr(at + 1);
        }
    }

    double number(const char *key) const {
        const std::string &text = find(key);
        char *end;
        double v = strtod(text.c_str(), &end);
        if (text.empty() || *end != 0)
            wrong(key, text);
        return v;
    }

    uint64_t count(const char *key) const { return (uint64_t)number(key); }

    std::vector<double> list(const char *key, size_t n) const {
        const std::string &text = find(key);
        std::vector<double> out;
        const char *at = text.c_str();
        for (char *end; *at != 0; at = *end == ',' ? end + 1 : end) {
            out.push_back(strtod(at, &end));
            if (end == at || (*end != 0 && *end != ','))
                wrong(key, text);
        }
        if (out.size() != n)
            wrong(key, text);
        return out;
    }

  private:
    std::map<std::string, std::string> values_;

    const std::string &find(const char *key) const {
        auto it = values_.find(key);
        if (it == values_.end())
            wrong(key, "");
        return it->second;
    }

    [[noreturn]] static void wrong(const char *key, const std::string &text) {
        fprintf(stderr, "invalid value \"%s\" of option %s\n", text.c_str(), key);
        exit(2);
    }
};
