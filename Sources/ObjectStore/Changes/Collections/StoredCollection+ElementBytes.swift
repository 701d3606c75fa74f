import HoldfastRows

extension StoredCollection {
    /// Returns the stored bytes of each element, nil for null. Valid as long as the view that they are read in.
    ///
    /// - `budget`: Ends the reading early where it fails; nil for none.
    package func elementBytes(within budget: Budget?) -> [UnsafeRawBufferPointer?] {
        var elements: [UnsafeRawBufferPointer?] = []
        elements.reserveCapacity(count)
        forEach(within: budget) { part, offset, _ in
            elements.append(part.isNull(offset) ? nil : part.bytes(offset))
            return true
        }
        return elements
    }
}
