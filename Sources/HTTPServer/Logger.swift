import Glibc

/// Structured log lines of the service, written to a file descriptor with one `write` each, so that
/// lines of several threads do not mix.
package struct Logger: Sendable {
    package enum Level: Int, Sendable, CaseIterable, Comparable {
        case debug, info, notice, warning, error

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        /// The name in a log line and in the configuration.
        package var name: String {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .notice: "notice"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    package enum Format: Sendable { case json, logfmt }

    /// A field's value.
    package enum Value: Sendable {
        case text(String)
        case number(Int)
        case flag(Bool)
    }

    package var level: Level
    package var format: Format
    package var descriptor: Int32

    /// By default: JSON on standard error, from `info` up.
    package init(level: Level = .info, format: Format = .json, descriptor: Int32 = 2) {
        self.level = level
        self.format = format
        self.descriptor = descriptor
    }

    /// Writes one line. Names are constants; values are escaped. Below the level nothing is built.
    package func log(
        _ level: Level, _ message: String,
        _ fields: @autoclosure () -> [(StaticString, Value)] = []
    ) {
        guard level >= self.level else { return }
        var line =
            switch format {
            case .json: json(level, message, fields())
            case .logfmt: logfmt(level, message, fields())
            }
        line.append(UInt8(ascii: "\n"))
        writeAll(descriptor, line)
    }

    /// Writes one line with fields given one by one.
    package func log(
        _ level: Level, _ message: String, _ fields: (StaticString, Value)...
    ) {
        log(level, message, fields)
    }

    private func json(
        _ level: Level, _ message: String, _ fields: [(StaticString, Value)]
    ) -> [UInt8] {
        var stamp: [UInt8] = []
        appendTimestamp(to: &stamp)
        var text = JSONText()
        text.object { text in
            stamp.withUnsafeBufferPointer { text.member("time", $0) }
            text.member("level", level.name)
            text.member("message", message)
            for (name, value) in fields {
                switch value {
                case .text(let string): text.member(name, string)
                case .number(let number): text.member(name, number)
                case .flag(let flag): text.member(name, flag)
                }
            }
        }
        return text.bytes
    }

    private func logfmt(
        _ level: Level, _ message: String, _ fields: [(StaticString, Value)]
    ) -> [UInt8] {
        var stamp: [UInt8] = []
        appendTimestamp(to: &stamp)
        var text = JSONText()
        text.append("time=")
        for byte in stamp { text.append(byte) }
        text.append(" level=")
        append(level.name, to: &text)
        text.append(" message=")
        append(message, to: &text)
        for (name, value) in fields {
            text.append(UInt8(ascii: " "))
            text.append(name)
            text.append(UInt8(ascii: "="))
            switch value {
            case .text(let string): append(string, to: &text)
            case .number(let number): text.number(number)
            case .flag(let flag): text.append(flag ? "true" : "false")
            }
        }
        return text.bytes
    }

    /// Bare when it has nothing that needs quotes.
    private func append(_ string: String, to text: inout JSONText) {
        let isBare =
            !string.isEmpty
            && string.utf8.allSatisfy {
                $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D && $0 != 0x5C
            }
        var string = string
        string.withUTF8 { bytes in
            if isBare {
                for byte in bytes { text.append(byte) }
            } else {
                text.quote(bytes)
            }
        }
    }
}

/// Writes all bytes; gives up at an error, because a log that cannot be written cannot be reported.
func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) {
    bytes.withUnsafeBytes { buffer in
        var start = 0
        while start < buffer.count, let base = buffer.baseAddress {
            let count = write(descriptor, base + start, buffer.count - start)
            if count < 0 {
                if errno == EINTR { continue }
                return
            }
            start += count
        }
    }
}
