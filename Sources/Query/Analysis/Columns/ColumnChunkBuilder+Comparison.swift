import Glibc
import HoldfastRows

extension ColumnChunkBuilder {
    /// Whether a chunk already has at a position what an object, or nil for none, is to have there.
    /// Collections are not looked into.
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
