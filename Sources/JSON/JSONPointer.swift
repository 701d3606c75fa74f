/// A pointer to a value in a JSON text (RFC 6901), such as `/operations/2/value/name`.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    private var bytes: [UInt8] = []

    /// The root, `""`.
    package init() {}

    /// Reads the text of a pointer; nil if it does not begin with `/`, or has a `~` without a following `0` or `1`.
    package init?(_ text: String) {
        bytes = Array(text.utf8)
        guard bytes.isEmpty || bytes[0] == UInt8(ascii: "/") else { return nil }
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "~") {
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            guard next == UInt8(ascii: "0") || next == UInt8(ascii: "1") else { return nil }
        }
    }

    /// The pointer as text, escaped.
    package var description: String { String(decoding: bytes, as: UTF8.self) }

    /// The steps from the root, unescaped: names, and indexes as digits.
    package var steps: [String] {
        guard !bytes.isEmpty else { return [] }
        return bytes[1...].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map(Self.unescaped)
    }

    private static func unescaped(_ step: ArraySlice<UInt8>) -> String {
        var name: [UInt8] = []
        var rest = step
        while let byte = rest.popFirst() {
            let isEscape = byte == UInt8(ascii: "~")
            name.append(
                isEscape ? (rest.popFirst() == UInt8(ascii: "0") ? byte : UInt8(ascii: "/")) : byte)
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Appends a step to the member with this name.
    package mutating func append(_ name: some Sequence<UInt8>) {
        bytes.append(UInt8(ascii: "/"))
        for byte in name {
            switch byte {
            case UInt8(ascii: "~"): bytes += [byte, UInt8(ascii: "0")]
            case UInt8(ascii: "/"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "1")]
            default: bytes.append(byte)
            }
        }
    }

    /// Appends a step to the member with this name.
    package mutating func append(_ name: String) { append(name.utf8) }

    /// Appends a step to the element at `index`.
    package mutating func append(index: Int) { append(String(index)) }

    /// The pointer to a member of this value.
    package func appending(_ name: String) -> JSONPointer {
        var pointer = self
        pointer.append(name)
        return pointer
    }

    /// The pointer to an element of this value.
    package func appending(index: Int) -> JSONPointer {
        var pointer = self
        pointer.append(index: index)
        return pointer
    }
}
