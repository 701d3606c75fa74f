import HoldfastBytes
import HoldfastRows

/// Gives each value of a column a code: how many different ones came before it. One thread at a time uses it.
final class DictionaryEncoder {
    /// The column; nil for chunks that are not of a column.
    let reference: ColumnReference?
    /// The values behind links, where these count instead of the links.
    let far: LinkedColumn?
    private let coding: any ValueEncoding
    private var column: [ColumnChunk?] = []
    private let buffer = ByteBuffer(capacity: 64)

    init(_ reference: ColumnReference?, _ coding: any ValueEncoding) {
        (self.reference, self.coding, far) = (reference, coding, nil)
    }

    /// Makes a coder of values behind links.
    init(_ far: LinkedColumn) {
        (reference, coding, self.far) = (far.reference, NumberEncoding(.far(far)), far)
    }

    private init(partOf whole: DictionaryEncoder) {
        (reference, far, column) = (whole.reference, whole.far, whole.column)
        coding = whole.coding.makePart()
    }

    /// Takes the column of a snapshot; false when there is too little memory or time.
    func bind(to columns: BoundColumns, within budget: Budget) -> Bool {
        column = reference.map { columns.column($0) } ?? []
        return far?.bind(to: columns, within: budget) ?? true
    }

    /// A coder of the same column without any codes, for another thread.
    func makePart() -> DictionaryEncoder { DictionaryEncoder(partOf: self) }

    var count: Int { coding.count }

    /// Bytes of memory that the codes take.
    var byteCount: Int { coding.byteCount }

    /// The column's chunk of a number.
    func chunk(_ index: Int) -> ColumnChunk? { index < column.count ? column[index] : nil }

    /// Sets the codes of a batch without exceptions: the codes of elements if the column has collections.
    func encode(_ batch: ColumnBatch, into codes: UnsafeMutablePointer<UInt32>) {
        let chunk = chunk(batch.chunk)
        if let collections = chunk as? CollectionChunk {
            encode(collections.elements, batch.elements, into: codes)
        } else {
            encode(chunk, batch.positions, into: codes)
        }
    }

    /// Sets the codes of the values at some positions of a chunk, at most ``ColumnBatch/countMax``, without exception.
    func encode(
        _ chunk: ColumnChunk?, _ positions: UnsafeBufferPointer<Int32>,
        into codes: UnsafeMutablePointer<UInt32>
    ) {
        coding.encode(chunk, positions, into: codes)
    }

    /// Whether ``narrow(_:_:upTo:)`` may remove something of a column of single values.
    var narrows: Bool { coding.narrows }

    /// Removes from a chunk's result without exceptions the objects that certainly come after the value of a code.
    func narrow(_ index: Int, _ frame: ColumnFrame, upTo code: Int) {
        guard let chunk = chunk(index), !(chunk is CollectionChunk),
            let kernel = coding.kernel(upTo: code)
        else { return }
        frame.narrow { chunk.evaluate(kernel, into: $0) }
    }

    func code(ofSortBytes bytes: UnsafeRawBufferPointer) -> UInt32 {
        (coding as? TextEncoding)?.code(of: bytes) ?? 0
    }

    /// The codes here of the values that have some codes, at most ``ColumnBatch/countMax``, in a part, or of their sort bytes
    /// if only these are coded here.
    func codes(_ codes: [UInt32], of part: DictionaryEncoder) -> [UInt32] {
        if reference == part.reference { return coding.codes(codes, ofLike: part.coding) }
        return codes.map { code in
            buffer.removeAll()
            part.append(Int(code), to: buffer)
            return self.code(ofSortBytes: buffer.bytes)
        }
    }

    /// Appends the sort bytes of the value of a code.
    func append(_ code: Int, to buffer: ByteBuffer) { coding.append(code, to: buffer) }

    /// Compares the values of two codes as their sort bytes are: negative, 0 or positive.
    func order(_ a: Int, _ b: Int) -> Int {
        if let order = coding.order(a, b) { return order }
        buffer.removeAll()
        append(a, to: buffer)
        let end = buffer.count
        append(b, to: buffer)
        return compareKeys(
            UnsafeRawBufferPointer(rebasing: buffer.bytes[..<end]),
            UnsafeRawBufferPointer(rebasing: buffer.bytes[end...]))
    }
}

extension DictionaryEncoder {
    /// Makes a coder of the keys of sections; nil where columns do not have them.
    convenience init?(_ key: SectionKey, _ schema: RowSchema) {
        guard let prefixCount = key.prefixCount else {
            self.init(GroupKey(path: key.path, part: .value), schema)
            return
        }
        guard let member = key.path.ownMember else { return nil }
        self.init(
            ColumnReference(classIndex: key.path.lastClass, member: member),
            TextEncoding(.texts(.string, prefixCount: prefixCount)))
    }

    /// Makes a coder of a key's values; nil if columns do not have them.
    convenience init?(_ key: GroupKey, _ schema: RowSchema) {
        let path = key.path
        guard let member = Self.ownMember(path, schema) else {
            guard let far = LinkedColumn(path, part: key.part, schema: schema) else { return nil }
            self.init(far)
            return
        }
        let reference = ColumnReference(classIndex: path.lastClass, member: member)
        if key.part != .value {
            guard let part = NumberPart(key) else { return nil }
            self.init(reference, NumberEncoding(.part(part)))
            return
        }
        let storage = path.type.storage
        switch storage {
        case .int, .bool, .date, .link, .double, .float:
            self.init(reference, NumberEncoding(.whole(storage)))
        case .string, .data, .uuid, .objectID:
            self.init(reference, TextEncoding(.texts(storage, prefixCount: nil)))
        default: return nil
        }
    }

    /// The property of the root object with the path's value or elements.
    private static func ownMember(_ path: ValuePath, _ schema: RowSchema) -> Int? {
        guard path.steps.isEmpty, case .elements(let member) = path.terminal,
            [.list, .set].contains(schema.classes[path.lastClass].members[member].storage.shape)
        else { return path.ownMember }
        return member
    }
}
