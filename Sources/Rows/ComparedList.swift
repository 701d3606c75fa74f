/// A list, prepared for comparing it with another one.
struct ComparedList {
    /// The number of elements.
    let count: Int
    /// The stored bytes of an element; empty for null. Equal elements may have different bytes if values are out of line.
    let bytes: (Int) -> UnsafeRawBufferPointer
    /// The hashes of an element's parts, which are its properties or entries; for a plain value, the hash of the value.
    let parts: (Int) -> Set<Int>
}

extension ComparedList {
    /// A collection.
    ///
    /// - `inner`: The class of its elements, if they are embedded objects.
    init(
        _ values: CollectionView, of inner: RowClass?, _ schema: RowSchema,
        _ source: any OverflowSource
    ) {
        let content = ContentHash(schema: schema, source: source)
        func bytes(_ index: Int) -> UnsafeRawBufferPointer {
            values.isNull(index) ? Self.nothing : values.bytes(index)
        }
        self.init(count: values.count, bytes: bytes) { index in
            guard let inner, let row = RowView(bytes(index)) else {
                return [ContentHash.hash(bytes(index))]
            }
            return content.parts(of: row, inner)
        }
    }

    /// Prepares a list within a `mixed` value.
    init(_ list: MixedView) {
        func bytes(_ index: Int) -> UnsafeRawBufferPointer {
            let element = list.element(index)
            return element.isNull ? Self.nothing : element.bytes
        }
        self.init(count: list.count, bytes: bytes) { index in
            let element = list.element(index)
            guard element.kind == .map, element.count > 0 else {
                return [ContentHash.hash(bytes(index))]
            }
            return Set(
                (0..<element.count).map { entry in
                    ContentHash.hash(element.key(entry), element.element(entry).bytes)
                })
        }
    }

    private static var nothing: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nil, count: 0)
    }
}

/// Hashes the parts of embedded objects, also if they are stored out of line.
private struct ContentHash {
    let schema: RowSchema
    let source: any OverflowSource

    func parts(of row: RowView, _ rowClass: RowClass) -> Set<Int> {
        var parts = Set<Int>()
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            var hasher = Hasher()
            hasher.combine(member)
            let field = rowClass.field(member, in: row)
            if !field.isNull { add(field, compiled, to: &hasher) }
            parts.insert(hasher.finalize())
        }
        return parts
    }

    private func add(_ field: Field, _ member: RowClass.Member, to hasher: inout Hasher) {
        guard member.storage.isInHeap else {
            return hasher.combine(
                bytes: UnsafeRawBufferPointer(
                    start: field.slot, count: member.storage.slotByteCount))
        }
        let whole = StoredField(field, member.storage, source)
        withExtendedLifetime(whole) {
            if member.storage.shape == .single { return add(whole.bytes, member, to: &hasher) }
            let leaf = LeafView(whole.bytes, member.storage)
            for index in 0..<leaf.count {
                if let keys = leaf.keys { hasher.combine(bytes: keys.bytes(index)) }
                hasher.combine(leaf.values.isNull(index))
                if !leaf.values.isNull(index) { add(leaf.values.bytes(index), member, to: &hasher) }
            }
        }
    }

    private func add(
        _ value: UnsafeRawBufferPointer, _ member: RowClass.Member, to hasher: inout Hasher
    ) {
        guard member.storage.element == .embedded, let row = RowView(value) else {
            hasher.combine(value.count)
            return hasher.combine(bytes: value)
        }
        hasher.combine(parts(of: row, schema.classes[member.classIndex]))
    }

    static func hash(_ values: UnsafeRawBufferPointer...) -> Int {
        var hasher = Hasher()
        for value in values {
            hasher.combine(value.count)
            hasher.combine(bytes: value)
        }
        return hasher.finalize()
    }
}
