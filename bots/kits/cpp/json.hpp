// JSON values: read from a line, and written to one. Nothing but the standard library is needed.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct JsonError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Json {
public:
    enum class Kind { null, flag, number, text, list, object };

    Json() = default;
    explicit Json(bool flag) : kind_(Kind::flag), number_(flag) {}
    explicit Json(double number) : kind_(Kind::number), number_(number) {}
    explicit Json(long long number) : kind_(Kind::number), number_(static_cast<double>(number)) {}  // exact up to 2^53, as all ids are
    explicit Json(std::string text) : kind_(Kind::text), text_(std::move(text)) {}
    explicit Json(const char* text) : Json(std::string(text)) {}

    static Json list_of() { return Json(Kind::list); }
    static Json object_of() { return Json(Kind::object); }

    // Reads one value; JsonError says what is wrong and at which byte.
    static Json parse(const std::string& line) {
        Reader reader{line};
        Json value = reader.value(0);
        reader.skip_space();
        if (reader.at < line.size()) reader.fail("the end");
        return value;
    }

    Kind kind() const { return kind_; }
    bool is_null() const { return kind_ == Kind::null; }

    // The value of a key of an object.
    const Json& get(const std::string& key) const {
        if (const Json* found = find(key)) return *found;
        throw JsonError("no key " + key);
    }
    bool has(const std::string& key) const { return find(key) != nullptr; }

    // The keys of an object, in their order; get(key) has the values.
    const std::vector<std::string>& keys() const { return object().keys_; }

    // An item of a list, from 0.
    const Json& at(std::size_t place) const {
        if (place >= list().size()) throw JsonError("no item " + std::to_string(place));
        return items_[place];
    }
    const std::vector<Json>& list() const { return check(Kind::list, "list").items_; }
    const Json& object() const { return check(Kind::object, "object"); }
    const std::string& text() const { return check(Kind::text, "text").text_; }
    double number() const { return check(Kind::number, "number").number_; }
    bool flag() const { return check(Kind::flag, "true or false").number_ != 0; }
    long long integer() const {
        if (number() != std::floor(number_)) throw JsonError("no whole number: " + line());
        return static_cast<long long>(number_);
    }

    void add(Json item) { items_.push_back(std::move(item)); }
    void put(std::string key, Json value) {
        keys_.push_back(std::move(key));
        items_.push_back(std::move(value));
    }

    // The value in one line.
    std::string line() const {
        std::string out;
        write(out);
        return out;
    }

private:
    explicit Json(Kind kind) : kind_(kind) {}

    const Json* find(const std::string& key) const {
        for (std::size_t place = 0; place < keys_.size(); place++)
            if (keys_[place] == key) return &items_[place];
        return nullptr;
    }

    const Json& check(Kind kind, const char* name) const {
        if (kind_ != kind) throw JsonError(std::string("no ") + name + ": " + line());
        return *this;
    }

    void write(std::string& out) const {
        switch (kind_) {
            case Kind::null: out += "null"; break;
            case Kind::flag: out += number_ != 0 ? "true" : "false"; break;
            case Kind::number: write_number(out); break;
            case Kind::text: write_text(out, text_); break;
            default: {
                out += kind_ == Kind::list ? '[' : '{';
                for (std::size_t place = 0; place < items_.size(); place++) {
                    if (place > 0) out += ", ";
                    if (kind_ == Kind::object) {
                        write_text(out, keys_[place]);
                        out += ": ";
                    }
                    items_[place].write(out);
                }
                out += kind_ == Kind::list ? ']' : '}';
            }
        }
    }

    void write_number(std::string& out) const {
        if (!std::isfinite(number_)) {
            out += "null";  // JSON has no infinity
            return;
        }
        char digits[40];
        std::snprintf(digits, sizeof digits, "%.17g", number_);
        out += digits;
    }

    static void write_text(std::string& out, const std::string& text) {
        out += '"';
        for (char letter : text) {
            if (letter == '"' || letter == '\\') {
                out += '\\';
                out += letter;
            } else if (static_cast<unsigned char>(letter) < 0x20) {
                char code[8];
                std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(letter));
                out += code;
            } else {
                out += letter;
            }
        }
        out += '"';
    }

    struct Reader {
        static constexpr int deepest = 100;  // objects and lists inside each other; messages have fewer than ten

        const std::string& from;
        std::size_t at = 0;

        [[noreturn]] void fail(const std::string& wanted) const {
            throw JsonError("JSON: " + wanted + " is needed at byte " + std::to_string(at));
        }

        void skip_space() {
            while (at < from.size() && (from[at] == ' ' || from[at] == '\t' || from[at] == '\r' || from[at] == '\n')) at++;
        }

        bool takes(char byte) {
            skip_space();
            if (at >= from.size() || from[at] != byte) return false;
            at++;
            return true;
        }

        Json value(int depth) {
            skip_space();
            if (depth > deepest) fail("fewer levels");
            char byte = at < from.size() ? from[at] : '\0';
            if (byte == '{' || byte == '[') return nested(byte == '{', depth);
            if (byte == '"') return Json(text());
            if (takes_word("true")) return Json(true);
            if (takes_word("false")) return Json(false);
            if (takes_word("null")) return Json();
            return number();
        }

        bool takes_word(const char* word) {
            std::string expected(word);
            if (from.compare(at, expected.size(), expected) != 0) return false;
            at += expected.size();
            return true;
        }

        Json nested(bool is_object, int depth) {
            Json found(is_object ? Kind::object : Kind::list);
            char end = is_object ? '}' : ']';
            at++;
            if (takes(end)) return found;
            do {
                if (is_object) {
                    skip_space();
                    found.keys_.push_back(text());
                    if (!takes(':')) fail(":");
                }
                found.items_.push_back(value(depth + 1));
            } while (takes(','));
            if (!takes(end)) fail(std::string(", or ") + end);
            return found;
        }

        std::string text() {
            if (at >= from.size() || from[at] != '"') fail("a text");
            std::string found;
            for (at++; at < from.size() && from[at] != '"'; at++) {
                if (from[at] == '\\')
                    escaped(found);
                else
                    found += from[at];
            }
            if (at >= from.size()) fail("\"");
            at++;
            return found;
        }

        // The letter of an escape; `at` is then at its last byte.
        void escaped(std::string& found) {
            char byte = ++at < from.size() ? from[at] : '\0';
            switch (byte) {
                case '"': case '\\': case '/': found += byte; break;
                case 'b': found += '\b'; break;
                case 'f': found += '\f'; break;
                case 'n': found += '\n'; break;
                case 'r': found += '\r'; break;
                case 't': found += '\t'; break;
                case 'u': {
                    unsigned code = hex();
                    if (code >= 0xd800 && code < 0xdc00 && from.compare(at + 1, 2, "\\u") == 0) {
                        at += 2;
                        code = 0x10000 + ((code - 0xd800) << 10) + ((hex() - 0xdc00) & 0x3ff);
                    }
                    utf8(found, code);
                    break;
                }
                default: fail("an escape");
            }
        }

        unsigned hex() {
            std::string digits = from.substr(at + 1, 4);
            if (digits.size() < 4 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) fail("four hex digits");
            at += 4;
            return static_cast<unsigned>(std::stoul(digits, nullptr, 16));
        }

        static void utf8(std::string& found, unsigned code) {
            if (code < 0x80) {
                found += static_cast<char>(code);
                return;
            }
            int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
            static const unsigned first[] = {0, 0xc0, 0xe0, 0xf0};
            found += static_cast<char>(first[more] | code >> (6 * more));
            while (more-- > 0) found += static_cast<char>(0x80 | (code >> (6 * more) & 0x3f));
        }

        Json number() {
            std::size_t end = from.find_first_not_of("+-.eE0123456789", at);
            std::string digits = from.substr(at, end == std::string::npos ? end : end - at);
            char* rest = nullptr;
            double found = std::strtod(digits.c_str(), &rest);
            if (digits.empty() || *rest != '\0') fail("a value");
            at += digits.size();
            return Json(found);
        }
    };

    Kind kind_ = Kind::null;
    double number_ = 0;
    std::string text_;
    std::vector<Json> items_;
    std::vector<std::string> keys_;  // of an object: one for each item
};
