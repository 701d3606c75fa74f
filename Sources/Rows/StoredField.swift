import HoldfastBytes
import HoldfastObjectModel

/// The value of one property, assembled even where it is stored out of line. Valid as long as the
/// row.
struct StoredField {
    /// Its storage.
    let storage: FieldStorage
    /// Whether it is null.
    let isNull: Bool
    /// The bytes of the slot, or those in the heap.
    let bytes: UnsafeRawBufferPointer
    /// Keeps the bytes of a collection that was put together.
    private let buffer: ByteBuffer?

    /// Reads a field. An out-of-line collection is assembled, which costs time linear in its size.
    init(_ field: Field, _ storage: FieldStorage, _ source: any OverflowSource) {
        self.storage = storage
        isNull = field.isNull
        guard !isNull, storage.shape != .none else {
            buffer = nil
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        guard storage.shape != .single, field.isOutOfLine else {
            buffer = nil
            bytes = field.bytes(storage, source)
            return
        }
        let buffer = ByteBuffer()
        StoredCollection(field, storage, source).append(storage, to: buffer)
        self.buffer = buffer
        bytes = buffer.bytes
    }

    /// The elements of a list or set, or the values of a map.
    var elements: CollectionView { LeafView(bytes, storage).values }

    /// Whether there is anything that would be lost with the property: a value, or an element.
    var holdsData: Bool {
        if storage.shape == .none || isNull { return false }
        return storage.shape == .single || elements.count > 0
    }

    /// Maps the values by `read`: one of a single property.
    private func map<Result>(
        null: Result, _ read: (UnsafeRawBufferPointer) -> Result
    ) -> [Result] {
        if storage.shape == .single { return [isNull ? null : read(bytes)] }
        if isNull { return [] }
        let view = elements
        return (0..<view.count).map { view.isNull($0) ? null : read(view.bytes($0)) }
    }

    /// The plain values: one of a single property.
    var values: [Value] { map(null: .null) { Value(stored: $0, storage.element) } }

    /// The links: one of a single property.
    var links: [UInt64?] { map(null: nil) { $0.loadUnaligned(as: UInt64.self) } }

    /// The `mixed` values: one of a single property.
    var mixedValues: [MixedView] { map(null: MixedView(nil)) { MixedView($0) } }

    /// The embedded rows: at most one of a single property.
    var rows: [RowView] { map(null: nil) { RowView($0) }.compactMap { $0 } }

    /// The part of a map that is not empty in which its keys lie.
    var keyBytes: UnsafeRawBufferPointer {
        let count = bytes.count < 4 ? 0 : Int(bytes.loadUnaligned(as: UInt32.self)) + 4
        return UnsafeRawBufferPointer(rebasing: bytes[..<min(count, bytes.count)])
    }
}
