// reader.h: parses the script. Each line starts with a word for its kind, followed by all fields by name, in any
// order. Errors contain the file, line and name.
#ifndef READER_H
#define READER_H

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include "fail.h"
#include "script.h"

class Reader {
  public:
    explicit Reader(const char *path) : path_(path) {}

    Script read() {
        std::ifstream file(path_);
        if (!file)
            fail("cannot read %s: %s", path_.c_str(), strerror(errno));
        Script script;
        for (std::string text; std::getline(file, text);) {
            line_++;
            std::istringstream words(text);
            if (std::string word; words >> word)
                accept(script, word, words);
        }
        if (script.run.line == 0)
            fail("%s: the line run is missing", path_.c_str());
        return script;
    }

    // wrong reports an error in a line.
    template <class L> [[noreturn]] void wrong(const L &line, const std::string &what) const {
        fail("%s:%d: %s", path_.c_str(), line.line, what.c_str());
    }

  private:
    std::string path_;
    int line_ = 0;

    [[noreturn]] void wrong(const std::string &what) const { fail("%s:%d: %s", path_.c_str(), line_, what.c_str()); }

    // accept parses the line that starts with the given word.
    void accept(Script &script, const std::string &word, std::istream &words) {
        std::string existing;
        bool found = false;
        script.lines([&](const char *name, auto &list) {
            existing += (existing.empty() ? "" : ", ") + std::string(name);
            if (word == name) {
                found = true;
                fields(name, next(list), words);
            }
        });
        if (!found)
            wrong("there is no line \"" + word + "\", expected one of " + existing);
    }

    template <class L> L &next(std::vector<L> &list) { return list.emplace_back(); }

    template <class L> L &next(L &only) {
        if (only.line != 0)
            wrong("this stands in line " + std::to_string(only.line) + ", too");
        return only;
    }

    template <class L> void fields(const std::string &name, L &line, std::istream &words) {
        std::map<std::string, std::string> given;
        for (std::string word; words >> word;) {
            size_t equals = word.find('=');
            if (equals == std::string::npos)
                wrong("\"" + word + "\" of " + name + " has no value, expected name=value");
            if (!given.emplace(word.substr(0, equals), word.substr(equals + 1)).second)
                wrong(name + " gives " + word.substr(0, equals) + " twice");
        }
        line.fields([&](const char *field, auto &value) {
            auto at = given.find(field);
            if (at == given.end())
                wrong(name + " lacks " + field);
            parse(name, field, at->second, value);
            given.erase(at);
        });
        if (!given.empty())
            wrong(name + " has no field " + given.begin()->first);
        line.line = line_;
    }

    [[noreturn]] void unread(const std::string &line, const char *field, const std::string &text,
                             const char *want) const {
        wrong(std::string(field) + " of " + line + " is \"" + text + "\", expected " + want);
    }

    void parse(const std::string &, const char *, const std::string &text, std::string &value) { value = text; }

    void parse(const std::string &line, const char *field, const std::string &text, bool &value) {
        value = text == "true";
        if (!value && text != "false")
            unread(line, field, text, "true or false");
    }

    void parse(const std::string &line, const char *field, const std::string &text, double &value) {
        char *end = nullptr;
        value = strtod(text.c_str(), &end);
        if (text.empty() || *end)
            unread(line, field, text, "a number");
    }

    void parse(const std::string &line, const char *field, const std::string &text, uint64_t &value) {
        char *end = nullptr;
        errno = 0;
        value = strtoull(text.c_str(), &end, 10);
        if (text.empty() || text[0] == '-' || *end || errno)
            unread(line, field, text, "a whole number from 0 on");
    }

    void parse(const std::string &line, const char *field, const std::string &text, int64_t &value) {
        char *end = nullptr;
        errno = 0;
        value = strtoll(text.c_str(), &end, 10);
        if (text.empty() || *end || errno)
            unread(line, field, text, "a whole number");
    }
};

#endif
