import Query

extension ColumnScan {
    /// Divides the objects that satisfy the predicate, which columns answer whole, into the sections that the scan was made
    /// for.
    ///
    /// - `byteCountMax`: Memory for all sections.
    /// - Returns: Nil where rows have to tell the sections, or have them with less memory.
    func divide(
        _ sections: ColumnSections, byteCountMax: Int
    ) throws(StoreError) -> ColumnSections.Page? {
        for chunk in 0..<program.chunkCount where try evaluate(chunk) {
            guard sections.add(chunk, frame), sections.byteCount <= byteCountMax else {
                return nil
            }
        }
        func isInTime() -> Bool { transaction.budget.look() }
        guard sections.choose(byteCountMax: byteCountMax, isInTime: isInTime) else {
            try checkTime()
            return nil
        }
        if sections.needsObjects {
            for chunk in 0..<program.chunkCount where try evaluate(chunk) {
                sections.addObjects(chunk, frame)
            }
        }
        let page = sections.page(isInTime: isInTime)
        if page == nil { try checkTime() }
        return page
    }
}
