import HoldfastBytes

/// Writes the fields of a record, or reads them: a record is described once. Numbers are little-endian; text and bytes have
/// a byte count of four bytes before them; lists have a count of four bytes.
struct RecordCoder {
    private var reader: ByteReader
    /// The buffer in which a record is written; nil when one is read.
    private let buffer: ByteBuffer?
    /// Whether the bytes are no such record; values read from them are not to be used then.
    private(set) var isDamaged = false

    init(to buffer: ByteBuffer) {
        reader = ByteReader(buffer.bytes)
        self.buffer = buffer
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        reader = ByteReader(bytes)
        buffer = nil
    }

    var isReading: Bool { buffer == nil }

    /// Whether nothing is left of the record that is read.
    var isAtEnd: Bool { reader.isAtEnd }

    /// Notes that the read bytes are no such record.
    mutating func fail() { isDamaged = true }

    mutating func code<Number: FixedWidthInteger & BitwiseCopyable>(_ number: inout Number) {
        if let buffer { return buffer.append(little: number) }
        guard let read = reader.read(Number.self) else { return fail() }
        number = read
    }

    mutating func code(_ text: inout String) {
        if let buffer { return buffer.append(block: text) }
        guard let read = reader.readString() else { return fail() }
        text = read
    }

    mutating func code(_ bytes: inout [UInt8]) {
        if let buffer { return bytes.withUnsafeBytes { buffer.append(block: $0) } }
        guard let read = reader.readBlock() else { return fail() }
        bytes = Array(read)
    }

    /// Writes or reads an enum by its raw value.
    mutating func code<Choice: RawRepresentable<UInt8>>(_ choice: inout Choice) {
        var value = choice.rawValue
        code(&value)
        guard let read = Choice(rawValue: value) else { return fail() }
        choice = read
    }

    /// Writes or reads a list, each element of which `body` reads or writes.
    ///
    /// - `empty`: An element before it is read.
    mutating func code<Element>(
        _ list: inout [Element], of empty: Element, countMax: Int = .max,
        _ body: (inout RecordCoder, inout Element) -> Void
    ) {
        var count = UInt32(list.count)
        code(&count)
        if isReading { list = [] }
        guard count <= countMax else { return fail() }
        for index in 0..<Int(count) {
            if isReading { list.append(empty) }
            body(&self, &list[index])
            if isDamaged { return }
        }
    }
}
