import HoldfastObjectStore

/// An object as it goes from version to version.
///
/// The way to an embedded object in a list moves with the realm's edits, so each version has the way by which it was there.
struct FollowedPlace {
    private let place: ObjectPlace
    private var owners: [EditPath.Owner]

    init(_ place: ObjectPlace) {
        self.place = place
        owners = place.owners
    }

    /// Goes on to the next version.
    ///
    /// - Returns: The object before and after; nil where it is not there.
    mutating func advance(
        _ step: RealmStep
    ) throws(StoreError) -> (old: StoredState?, new: StoredState?) {
        let old = try StoredState(place, owners, in: step.before)
        owners = place.owners
        let new = place.isGone ? nil : try StoredState(place, owners, in: step.after)
        return (old, new)
    }
}
