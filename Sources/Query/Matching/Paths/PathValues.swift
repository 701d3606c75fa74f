import HoldfastObjectModel
import HoldfastRows

/// Reads all values that a path leads to, as values that stand for themselves.
package enum PathValues {
    /// Reads the values of an object.
    ///
    /// - Returns: Nil for null, where the path leads to one value, and for more than ``UserValue/countMax``. Objects are told by
    ///   their primary keys, or by their object keys if their class has no primary key.
    package static func read(
        _ path: ValuePath, of row: RowView, key: UInt64, from source: any ObjectSource,
        schema: RowSchema
    ) -> UserValue? {
        let sink = CopyingSink(path, schema, source)
        PathWalker(path, schema: schema).walk(row, key, source, sink)
        guard !sink.isOverfull else { return nil }
        if path.isMany { return .many(sink.values) }
        guard let value = sink.values.first, value != .null else { return nil }
        return .one(value)
    }
}

/// Keeps copies of the values of a path.
private final class CopyingSink: ValueSink {
    var values: [Value] = []
    var isOverfull = false
    private let type: ValueType
    private let schema: RowSchema
    private let source: any ObjectSource

    init(_ path: ValuePath, _ schema: RowSchema, _ source: any ObjectSource) {
        type = path.type
        self.schema = schema
        self.source = source
    }

    override func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
        guard values.count < UserValue.countMax else {
            isOverfull = true
            return false
        }
        values.append(address.map { value($0, count) } ?? .null)
        return true
    }

    override func endGroup() -> Bool { !isOverfull }

    private func value(_ address: UnsafeRawPointer, _ count: Int) -> Value {
        guard case .link(let classIndex) = type else {
            return Value(stored: UnsafeRawBufferPointer(start: address, count: count), type.storage)
        }
        let key = address.loadUnaligned(as: UInt64.self)
        let target = schema.classes[classIndex]
        guard let member = target.primaryKeyIndex else {
            return .link(className: target.definition.name, key: .int(Int64(bitPattern: key)))
        }
        guard let row = source.row(classIndex: classIndex, key: key) else { return .null }
        return .link(
            className: target.definition.name,
            key: Value(target.field(member, in: row), target.members[member].storage, source))
    }
}

extension StoredCollection {
    /// Returns the element that a path names; nil if it does not exist.
    package func element(_ position: ListPosition) -> (part: CollectionView, offset: Int)? {
        if case .key(let key) = position {
            return key.withUnsafeBytes { index(ofKey: $0) }.flatMap { element($0) }
        }
        return position.offset(in: count).flatMap { element($0) }
    }

    /// Returns the object that a path names; nil if it does not exist or is null.
    package func object(_ position: ListPosition) -> (part: CollectionView, offset: Int)? {
        guard let (part, offset) = element(position), !part.isNull(offset) else { return nil }
        return (part, offset)
    }
}
