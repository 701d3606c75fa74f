extension Array {
    @usableFromInline
    struct Late: Error {
        @usableFromInline init() {}
    }

    /// The elements in order; nil when there is too little time.
    ///
    /// - `isInTime`: Asked after some thousand comparisons each.
    @inlinable
    public func sorted(
        inTime isInTime: () -> Bool, by isBefore: (Element, Element) -> Bool
    ) -> [Element]? {
        var count = 0
        return try? sorted { a, b in
            count += 1
            if count & 4095 == 0, !isInTime() { throw Late() }
            return isBefore(a, b)
        }
    }
}
