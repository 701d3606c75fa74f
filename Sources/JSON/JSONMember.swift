import Glibc

/// A name and its value in an object.
public struct JSONMember {
    /// The unescaped UTF-8 of the name.
    public let name: UnsafeRawBufferPointer
    /// The value of the member.
    public let value: JSONValue

    @inlinable init(name: UnsafeRawBufferPointer, value: JSONValue) {
        self.name = name
        self.value = value
    }

    /// Whether the name is `other`.
    @inlinable public func isNamed(_ other: StaticString) -> Bool {
        isNamed(UnsafeRawBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount))
    }

    /// Whether the name has these bytes.
    @inlinable public func isNamed(_ other: UnsafeRawBufferPointer) -> Bool {
        guard name.count == other.count else { return false }
        guard let a = name.baseAddress, let b = other.baseAddress else { return true }
        return memcmp(a, b, name.count) == 0
    }
}
