/// Header fields of a reply, in the order they were added, in one block of memory.
///
/// Each entry is `name NUL value NUL`, the form that libmicrohttpd takes, so that sending needs no further copy. A usual reply
/// costs one allocation here.
package struct Headers: Sendable {
    private(set) var block: [UInt8] = []

    /// Creates an empty list.
    package init() {}

    /// Appends a field. Control characters in `value` (they would end the field) become blanks; an empty value adds nothing.
    package mutating func add(_ name: HeaderName, _ value: String) {
        var value = value
        value.withUTF8 { add(name, $0) }
    }

    /// Appends a field with a constant value.
    package mutating func add(_ name: HeaderName, _ value: StaticString) { add(name, value.bytes) }

    /// Appends a field from bytes, such as an ETag that was formatted into a buffer.
    package mutating func add(_ name: HeaderName, _ value: UnsafeBufferPointer<UInt8>) {
        guard !value.isEmpty else { return }
        if block.isEmpty { block.reserveCapacity(256) }
        let name = name.text.bytes
        let start = name.count + 1
        // The entry is made on the stack and appended as a whole, because each call of the array checks that it is unique.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: start + value.count + 1) { entry in
            _ = entry.update(fromContentsOf: name)
            entry[start - 1] = 0
            let end = entry[start...].update(fromContentsOf: value)
            var hasControl = false
            // The loop has no early end, so that it is vectorized.
            for byte in value { hasControl = hasControl || byte < 0x20 || byte == 0x7F }
            if hasControl {
                for index in start..<end where entry[index] < 0x20 || entry[index] == 0x7F {
                    entry[index] = 0x20
                }
            }
            entry[end] = 0
            block.append(contentsOf: entry)
        }
    }

    /// Calls `body` with pointers to each NUL-terminated name and value.
    func forEach(_ body: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Void) {
        block.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
            var index = 0
            while index < bytes.count {
                let name = base + index
                while base[index] != 0 { index += 1 }
                index += 1
                let value = base + index
                while base[index] != 0 { index += 1 }
                index += 1
                body(name, value)
            }
        }
    }

    /// Returns the first value with a name, copied; for tests and for stored replies.
    package func value(_ wanted: HeaderName) -> String? {
        var found: String?
        forEach { name, value in
            if found == nil, wanted.text.equalsCString(name) { found = String(cString: value) }
        }
        return found
    }
}
