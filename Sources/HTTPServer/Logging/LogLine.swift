import HoldfastBytes
import HoldfastJSON

/// One log line under way, as a JSON object or as logfmt. The caller writes the line feed.
struct LogLine {
    private let format: Logger.Format
    private let json: JSONWriter
    private var isEmpty = true

    init(_ format: Logger.Format, capacity: Int = 256) {
        self.format = format
        json = JSONWriter(ByteBuffer(capacity: capacity))
        if format == .json { json.raw("{") }
    }

    /// Writes the time of day as `time`.
    mutating func timestamp() {
        var stamp: [UInt8] = []
        stamp.reserveCapacity(32)
        appendTimestamp(to: &stamp)
        stamp.withUnsafeBufferPointer { member("time", $0) }
    }

    mutating func member(_ name: StaticString, _ value: String) {
        var value = value
        value.withUTF8 { member(name, $0) }
    }

    /// Writes a member with UTF-8; other bytes are replaced.
    mutating func member(_ name: StaticString, _ value: UnsafeBufferPointer<UInt8>) {
        key(name)
        if format == .logfmt, Self.isBare(value) {
            json.raw(UnsafeRawBufferPointer(value))
        } else if isValidUTF8(value) {
            json.string(UnsafeRawBufferPointer(value))
        } else {
            json.string(String(decoding: value, as: UTF8.self))
        }
    }

    /// Writes a member with an integer.
    mutating func member(_ name: StaticString, _ value: Int) {
        key(name)
        json.int(Int64(value))
    }

    consuming func finish() -> [UInt8] {
        if format == .json { json.raw("}") }
        return json.buffer.array
    }

    /// Writes the separator and the name before a value.
    private mutating func key(_ name: StaticString) {
        if !isEmpty { json.raw(format == .json ? "," : " ") }
        isEmpty = false
        if format == .json { return json.key(name) }
        json.raw(name)
        json.raw("=")
    }

    /// Whether a value needs no quotes in logfmt.
    private static func isBare(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        !value.isEmpty
            && value.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D && $0 != 0x5C }
    }
}
