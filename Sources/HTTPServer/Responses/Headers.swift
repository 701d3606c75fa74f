import Bytes

/// Header fields of a reply, in the order they were added, in one block of memory.
///
/// Each entry is `name: value CR LF`, as it is sent, so that sending copies the block whole. A usual reply costs one
/// allocation here.
package struct Headers: Sendable {
    private(set) var block: [UInt8] = []

    /// No fields.
    package init() {}

    /// Appends a field. Control characters in `value` (they would end the field) become blanks; an
    /// empty value adds nothing.
    package mutating func add(_ name: HeaderName, _ value: String) {
        var value = value
        value.withUTF8 { add(name, $0) }
    }

    /// Appends a field whose value is a constant.
    package mutating func add(_ name: HeaderName, _ value: StaticString) {
        add(name, value.bytes)
    }

    /// Appends a field from bytes, such as an ETag that was formatted into a buffer.
    package mutating func add(_ name: HeaderName, _ value: UnsafeBufferPointer<UInt8>) {
        guard !value.isEmpty else { return }
        if block.isEmpty { block.reserveCapacity(256) }
        block.append(contentsOf: name.text.bytes)
        block.append(UInt8(ascii: ":"))
        block.append(0x20)
        let start = block.count
        block.append(contentsOf: value)
        for index in start..<block.count where block[index] < 0x20 || block[index] == 0x7F {
            block[index] = 0x20
        }
        block.append(0x0D)
        block.append(0x0A)
    }

    /// The first value of that name, copied; for tests and for stored replies.
    package func value(_ wanted: HeaderName) -> String? {
        let prefix = Array(wanted.text.bytes) + [UInt8(ascii: ":"), 0x20]
        return block.split(separator: 0x0A)
            .first { $0.starts(with: prefix) }
            .map { String(decoding: $0.dropFirst(prefix.count).dropLast(), as: UTF8.self) }
    }
}
