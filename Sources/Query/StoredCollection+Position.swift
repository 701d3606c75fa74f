import Rows

extension StoredCollection {
    /// The element that a path names; nil when there is none.
    func element(_ position: ListPosition) -> (part: CollectionView, place: Int)? {
        position.offset(in: count).flatMap { element($0) }
    }
}
