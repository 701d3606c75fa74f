import HoldfastQuery

extension ColumnScan {
    /// Divides the objects that satisfy the predicate, which columns answer whole, among the sections that the scan was made
    /// for.
    ///
    /// - Returns: False where rows have to tell the sections, or have them with less memory.
    func divide(
        _ columns: SectionColumns, among groups: SectionGroups, byteCountMax: Int
    ) throws(StoreError) -> Bool {
        for chunk in 0..<program.chunkCount where try evaluate(chunk) {
            var hasRoom = true
            let isWhole = columns.forEach(chunk, frame) { batch in
                hasRoom = hasRoom && groups.add(batch, of: columns)
            }
            guard isWhole, hasRoom, columns.byteCount <= byteCountMax else { return false }
        }
        return true
    }
}
