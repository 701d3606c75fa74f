/// One log line under way, as a JSON object or as logfmt. The line feed is for whoever writes it.
struct LogLine {
    private let format: Logger.Format
    private var text: JSONText

    /// An empty line.
    init(_ format: Logger.Format, capacity: Int = 256) {
        self.format = format
        text = JSONText(capacity: capacity)
        if format == .json { text.append(UInt8(ascii: "{")) }
    }

    /// Writes the time of day as `time`.
    mutating func timestamp() {
        var stamp: [UInt8] = []
        stamp.reserveCapacity(32)
        appendTimestamp(to: &stamp)
        stamp.withUnsafeBufferPointer { member("time", $0) }
    }

    /// Writes a member whose value is a string.
    mutating func member(_ name: StaticString, _ value: String) {
        var value = value
        value.withUTF8 { member(name, $0) }
    }

    /// Writes a member whose value is UTF-8; other bytes are replaced.
    mutating func member(_ name: StaticString, _ value: UnsafeBufferPointer<UInt8>) {
        switch format {
        case .json: text.member(name, value)
        case .logfmt:
            key(name)
            if LogLine.isBare(value) {
                for byte in value { text.append(byte) }
            } else {
                text.quote(value)
            }
        }
    }

    /// Writes a member whose value is an integer.
    mutating func member(_ name: StaticString, _ value: Int) {
        switch format {
        case .json: text.member(name, value)
        case .logfmt:
            key(name)
            text.number(value)
        }
    }

    /// Writes a member whose value is true or false.
    mutating func member(_ name: StaticString, _ value: Bool) {
        switch format {
        case .json: text.member(name, value)
        case .logfmt:
            key(name)
            text.append(value ? "true" : "false")
        }
    }

    /// The whole line.
    consuming func finish() -> [UInt8] {
        if format == .json { text.append(UInt8(ascii: "}")) }
        return text.bytes
    }

    /// Writes what stands before a value of logfmt.
    private mutating func key(_ name: StaticString) {
        if !text.bytes.isEmpty { text.append(UInt8(ascii: " ")) }
        text.append(name)
        text.append(UInt8(ascii: "="))
    }

    /// Whether a value of logfmt needs no quotes.
    private static func isBare(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        !value.isEmpty
            && value.allSatisfy {
                $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D && $0 != 0x5C
            }
    }
}
