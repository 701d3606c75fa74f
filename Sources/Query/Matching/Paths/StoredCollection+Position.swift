import HoldfastRows

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
