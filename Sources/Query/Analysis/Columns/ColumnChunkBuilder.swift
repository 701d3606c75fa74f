import Glibc
import HoldfastRows

/// Makes the chunks of one column, one at a time, from rows in the order of their keys. One thread at a time uses it.
package final class ColumnChunkBuilder {
    private let form: ColumnForm
    let member: Int
    private let meter: ColumnMeter
    /// How many positions are filled.
    package private(set) var count = 0
    /// Of collections the elements, else the values.
    private let values: ValueCollector
    private var presence: [UInt8] = []
    private var ends: [UInt32] = []
    private var exceptions: [UInt8] = []
    private let isCollection: Bool

    /// Makes a builder of the column of a property, by its position in its class.
    package init(_ form: ColumnForm, member: Int, meter: ColumnMeter) {
        self.form = form
        self.member = member
        self.meter = meter
        if case .collections(let inner) = form {
            values = ValueCollector(inner)
            isCollection = true
        } else {
            values = ValueCollector(form)
            isCollection = false
        }
    }

    /// Fills positions without objects up to one.
    package func fill(to position: Int) {
        while count < position { appendNothing(isException: false) }
    }

    private func appendNothing(isException: Bool) {
        count += 1
        if form == .presence {
            presence.append(0)
        } else if isCollection {
            ends.append(UInt32(truncatingIfNeeded: values.count))
            exceptions.append(isException ? 1 : 0)
        } else {
            values.appendNull(false)
        }
    }

    /// Appends the value of an object at the next position.
    package func append(_ row: RowView, _ rowClass: RowClass) {
        if form == .presence {
            presence.append(1)
            count += 1
            return
        }
        let field = rowClass.field(member, in: row)
        let storage = rowClass.members[member].storage
        if isCollection { return append(field, storage.element) }
        count += 1
        if field.isNull { return values.appendNull() }
        if let width = storage.element.fixedByteCount {
            values.append(field.slot, width)
        } else if field.isOutOfLine {
            values.appendException()
        } else {
            let heap = field.heap
            values.append(heap.baseAddress ?? field.slot, heap.count)
        }
    }

    private func append(_ field: Field, _ element: ElementStorage) {
        guard !field.isOutOfLine else { return appendNothing(isException: true) }
        let collection = CollectionView(field.heap, element: element)
        guard collection.count <= ColumnForm.elementCountMax else {
            return appendNothing(isException: true)
        }
        let start = values.count
        for index in 0..<collection.count {
            if collection.isNull(index) {
                values.appendNull()
                continue
            }
            let bytes = collection.bytes(index)
            guard values.append(bytes.baseAddress ?? field.slot, bytes.count) else {
                values.truncate(start)
                return appendNothing(isException: true)
            }
        }
        appendNothing(isException: false)
    }

    /// Appends the value of a chunk at the next position.
    package func append(from chunk: ColumnChunk) {
        let position = count
        if let chunk = chunk as? PresenceChunk {
            presence.append(chunk.contains(position) ? 1 : 0)
            count += 1
        } else if let chunk = chunk as? CollectionChunk {
            if chunk.exceptions?[position] == 1 { return appendNothing(isException: true) }
            for element in chunk.range(position) { values.append(element, of: chunk.elements) }
            appendNothing(isException: false)
        } else {
            values.append(position, of: chunk)
            count += 1
        }
    }

    /// Makes the chunk and begins the next one.
    package func seal() -> ColumnChunk {
        fill(to: ColumnChunk.keyCount)
        defer {
            count = 0
            values.removeAll()
            presence.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
            exceptions.removeAll(keepingCapacity: true)
        }
        if form == .presence { return PresenceChunk(presence, meter: meter) }
        guard isCollection else { return values.seal(meter) }
        return CollectionChunk(
            ends: ends, elements: values.seal(meter), count: ColumnChunk.keyCount,
            exceptions: exceptions.contains(1) ? exceptions : nil, meter: meter)
    }
}

extension ColumnChunkBuilder {
    /// Whether a chunk already has an object's value, or no object for nil, at a position. Collections are not looked into.
    package func isPresent(
        _ row: RowView?, _ rowClass: RowClass, at position: Int, in chunk: ColumnChunk
    ) -> Bool {
        if let chunk = chunk as? PresenceChunk { return chunk.contains(position) == (row != nil) }
        guard let row else { return true }
        let storage = rowClass.members[member].storage
        guard storage.shape == .single else { return false }
        let field = rowClass.field(member, in: row)
        let wasNull = chunk.nulls?[position] == 1
        if field.isNull || wasNull { return field.isNull && wasNull }
        if chunk.exceptions?[position] == 1 { return false }
        let bytes: UnsafeRawBufferPointer
        if let width = storage.element.fixedByteCount {
            bytes = UnsafeRawBufferPointer(start: field.slot, count: width)
        } else {
            guard !field.isOutOfLine else { return false }
            bytes = field.heap
        }
        var isEqual = false
        chunk.withStored(position) { address, count in
            isEqual =
                count == bytes.count
                && (count == 0
                    || bytes.baseAddress.map { memcmp($0, address, count) == 0 } ?? false)
        }
        return isEqual
    }
}
