import Glibc

/// The header fields of a request: copies that stay valid as long as the request, even if its connection is gone.
///
/// The memory is kept from one request of a connection to the next, so a request of usual length allocates nothing.
struct RequestFields: ~Copyable {
    private struct Field {
        let name: Range<Int32>
        let value: Range<Int32>
    }

    /// The most fields; a request with more is refused, because each field slows look-ups.
    static let countMax = 256
    private static let keptByteCount = 4096

    private var memory: UnsafeMutablePointer<UInt8>?
    private var capacity = 0
    private var byteCount = 0
    private var fields: ContiguousArray<Field> = []

    deinit { free(memory) }

    /// Removes all fields; the memory is kept.
    mutating func removeAll() {
        fields.removeAll(keepingCapacity: true)
        byteCount = 0
    }

    /// Makes room for fields. Call it while there are no fields.
    ///
    /// - `byteCount`: The most bytes of all names and values together.
    /// - Returns: False if there is no memory.
    mutating func reserve(byteCount wanted: Int) -> Bool {
        guard wanted > capacity || capacity > max(wanted, Self.keptByteCount) else { return true }
        free(memory)
        capacity = max(wanted, 512)
        memory = malloc(capacity)?.assumingMemoryBound(to: UInt8.self)
        if memory == nil { capacity = 0 }
        return memory != nil
    }

    /// Appends a field, without the blanks around its value.
    ///
    /// - Returns: False if there are too many fields, or no room for this one.
    mutating func append(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let value = RequestText(value).trimmed(0..<value.count).bytes
        guard fields.count < Self.countMax, name.count + value.count <= capacity - byteCount
        else { return false }
        fields.append(Field(name: copy(name), value: copy(value)))
        return true
    }

    private mutating func copy(_ bytes: UnsafeBufferPointer<UInt8>) -> Range<Int32> {
        let start = byteCount
        if let memory, let from = bytes.baseAddress { memcpy(memory + start, from, bytes.count) }
        byteCount += bytes.count
        // A head is bounded far below 2 GiB.
        return Int32(truncatingIfNeeded: start)..<Int32(truncatingIfNeeded: byteCount)
    }

    /// Returns the first field with a name, compared without case; nil if there is none. Cost: a pass over the fields.
    func first(_ name: HeaderName) -> RequestText? {
        for field in fields where isNamed(field, name.text) { return piece(field.value) }
        return nil
    }

    /// Calls `body` with all fields with a name, in order.
    func forEach(_ name: HeaderName, _ body: (RequestText) -> Void) {
        for field in fields where isNamed(field, name.text) { body(piece(field.value)) }
    }

    private func piece(_ range: Range<Int32>) -> RequestText {
        RequestText(
            UnsafeBufferPointer(
                start: memory.map { $0 + Int(range.lowerBound) }, count: range.count))
    }

    @inline(__always)
    private func isNamed(_ field: Field, _ name: StaticString) -> Bool {
        field.name.count == name.utf8CodeUnitCount && piece(field.name).equalsIgnoringCase(name)
    }
}
