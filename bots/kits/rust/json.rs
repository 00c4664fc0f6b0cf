//! JSON values: read from a line, and written to one. Nothing but the standard library is needed.

use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Flag(bool),
    Number(f64), // exact for whole numbers up to 2^53, as all ids are
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

#[allow(dead_code)]
impl Json {
    /// Reads one value; the error says what is wrong and at which byte.
    pub fn read(text: &str) -> Result<Json, String> {
        let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
        let value = reader.value(0)?;
        reader.skip_space();
        if reader.at < reader.bytes.len() {
            return Err(reader.wrong("the end"));
        }
        Ok(value)
    }

    /// The value of a key of an object; None for a missing key, and for what is no object.
    pub fn find(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(pairs) => pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// As `find`, for a key that must be there.
    pub fn get(&self, key: &str) -> Result<&Json, String> {
        self.find(key).ok_or_else(|| format!("no key {}", key))
    }

    /// An item of a list, from 0.
    pub fn at(&self, place: usize) -> Result<&Json, String> {
        self.as_list()?.get(place).ok_or_else(|| format!("no item {}", place))
    }

    pub fn as_list(&self) -> Result<&[Json], String> {
        if let Json::List(items) = self { Ok(items) } else { Err(self.is_no("list")) }
    }

    pub fn as_object(&self) -> Result<&Json, String> {
        if let Json::Object(_) = self { Ok(self) } else { Err(self.is_no("object")) }
    }

    pub fn as_text(&self) -> Result<&str, String> {
        if let Json::Text(text) = self { Ok(text) } else { Err(self.is_no("text")) }
    }

    pub fn as_number(&self) -> Result<f64, String> {
        if let Json::Number(number) = self { Ok(*number) } else { Err(self.is_no("number")) }
    }

    pub fn as_integer(&self) -> Result<i64, String> {
        let number = self.as_number()?;
        if number.fract() == 0.0 { Ok(number as i64) } else { Err(self.is_no("whole number")) }
    }

    pub fn as_flag(&self) -> Result<bool, String> {
        if let Json::Flag(flag) = self { Ok(*flag) } else { Err(self.is_no("true or false")) }
    }

    fn is_no(&self, kind: &str) -> String {
        format!("no {}: {}", kind, self)
    }
}

/// Writes the value in one line.
impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Json::Null => out.write_str("null"),
            Json::Flag(flag) => write!(out, "{}", flag),
            Json::Number(number) if number.is_finite() => write!(out, "{}", number),
            Json::Number(_) => out.write_str("null"), // JSON has no infinity
            Json::Text(text) => write_text(out, text),
            Json::List(items) => {
                out.write_str("[")?;
                for (place, item) in items.iter().enumerate() {
                    write!(out, "{}{}", if place > 0 { ", " } else { "" }, item)?;
                }
                out.write_str("]")
            }
            Json::Object(pairs) => {
                out.write_str("{")?;
                for (place, (key, value)) in pairs.iter().enumerate() {
                    out.write_str(if place > 0 { ", " } else { "" })?;
                    write_text(out, key)?;
                    write!(out, ": {}", value)?;
                }
                out.write_str("}")
            }
        }
    }
}

fn write_text(out: &mut fmt::Formatter, text: &str) -> fmt::Result {
    out.write_str("\"")?;
    for letter in text.chars() {
        match letter {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            letter if (letter as u32) < 0x20 => write!(out, "\\u{:04x}", letter as u32)?,
            letter => write!(out, "{}", letter)?,
        }
    }
    out.write_str("\"")
}

const DEEPEST: usize = 100; // objects and lists inside each other; messages have fewer than ten

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Json, String> {
        self.skip_space();
        match self.bytes.get(self.at) {
            Some(b'{' | b'[') if depth == DEEPEST => Err(self.wrong("fewer levels")),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Ok(Json::Text(self.text()?)),
            Some(b't') => self.word("true", Json::Flag(true)),
            Some(b'f') => self.word("false", Json::Flag(false)),
            Some(b'n') => self.word("null", Json::Null),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, String> {
        let mut pairs = Vec::new();
        self.at += 1;
        if self.takes(b'}') {
            return Ok(Json::Object(pairs));
        }
        loop {
            self.skip_space();
            let key = self.text()?;
            if !self.takes(b':') {
                return Err(self.wrong(":"));
            }
            pairs.push((key, self.value(depth + 1)?));
            if self.takes(b'}') {
                return Ok(Json::Object(pairs));
            }
            if !self.takes(b',') {
                return Err(self.wrong(", or }"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json, String> {
        let mut items = Vec::new();
        self.at += 1;
        if self.takes(b']') {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.takes(b']') {
                return Ok(Json::List(items));
            }
            if !self.takes(b',') {
                return Err(self.wrong(", or ]"));
            }
        }
    }

    fn text(&mut self) -> Result<String, String> {
        if self.bytes.get(self.at) != Some(&b'"') {
            return Err(self.wrong("a text"));
        }
        self.at += 1;
        let mut found = Vec::new();
        loop {
            let byte = *self.bytes.get(self.at).ok_or_else(|| self.wrong("\""))?;
            self.at += 1;
            match byte {
                b'"' => return String::from_utf8(found).map_err(|_| self.wrong("UTF-8")),
                b'\\' => {
                    let letter = self.escaped()?;
                    found.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                }
                byte => found.push(byte),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, String> {
        let byte = *self.bytes.get(self.at).ok_or_else(|| self.wrong("an escape"))?;
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => byte as char,
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let mut code = self.hex()?;
                if (0xd800..0xdc00).contains(&code) && self.bytes[self.at..].starts_with(b"\\u") {
                    self.at += 2;
                    let low = self.hex()?;
                    code = 0x10000 + ((code - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff);
                }
                char::from_u32(code).unwrap_or('\u{fffd}')
            }
            _ => return Err(self.wrong("an escape")),
        })
    }

    fn hex(&mut self) -> Result<u32, String> {
        let digits = self.bytes.get(self.at..self.at + 4).and_then(|four| std::str::from_utf8(four).ok());
        let code = digits.and_then(|four| u32::from_str_radix(four, 16).ok()).ok_or_else(|| self.wrong("four hex digits"))?;
        self.at += 4;
        Ok(code)
    }

    fn number(&mut self) -> Result<Json, String> {
        let start = self.at;
        while self.bytes.get(self.at).map_or(false, |byte| b"+-.eE0123456789".contains(byte)) {
            self.at += 1;
        }
        let digits = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or("");
        digits.parse().map(Json::Number).map_err(|_| self.wrong("a value"))
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, String> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(self.wrong(word));
        }
        self.at += word.len();
        Ok(value)
    }

    /// Goes past white space, and past `byte` if it comes next.
    fn takes(&mut self, byte: u8) -> bool {
        self.skip_space();
        let is_next = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn skip_space(&mut self) {
        while self.bytes.get(self.at).map_or(false, u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn wrong(&self, wanted: &str) -> String {
        format!("JSON: {} is needed at byte {}", wanted, self.at)
    }
}
