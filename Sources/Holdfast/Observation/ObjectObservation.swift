import HoldfastObjectStore

/// An observer of an object.
final class ObjectObservation: Observation, @unchecked Sendable {
    /// The properties that have changed, each with its earlier value; nil if the object was deleted.
    typealias Change = [(name: String, oldValue: Any?)]?

    private let place: ObjectReference
    private let properties: any ObservedProperties
    private let block: (Change) -> Void
    /// The properties that have changed since the last report, by their positions, with their earlier values.
    private var pending: [Int: Any?] = [:]
    private var isDeleted = false
    private var followed: TrackedObject

    init(
        _ place: ObjectReference, _ properties: any ObservedProperties,
        _ block: @escaping (Change) -> Void
    ) {
        self.place = place
        self.properties = properties
        self.block = block
        followed = TrackedObject(place)
        super.init(in: place.realm)
    }

    override func note(_ step: RealmStep) throws(StoreError) { try follow(step, isTold: true) }

    override func skip(_ step: RealmStep) throws(StoreError) { try follow(step, isTold: false) }

    private func follow(_ step: RealmStep, isTold: Bool) throws(StoreError) {
        if isDeleted { return }
        let states = try followed.advance(step)
        guard let old = states.old else { return }
        guard let new = states.new else {
            isDeleted = true
            return
        }
        if !isTold { return }
        for position in try properties.changes(step, from: old, to: new) {
            if pending[position] == nil {
                pending[position] = .some(properties.value(position, in: old))
            }
        }
    }

    override func tell() {
        if isDeleted {
            end()
            return block(nil)
        }
        if pending.isEmpty { return }
        let changed = pending.sorted { $0.key < $1.key }.map {
            (name: properties.name($0.key), oldValue: $0.value)
        }
        pending = [:]
        block(changed)
    }
}

extension ObjectChange {
    /// The notification of a change of an object or a projection.
    ///
    /// - `value`: Returns the present value of a property by its name.
    init(_ object: T, _ change: ObjectObservation.Change, _ value: (String) -> Any?) {
        guard let change else {
            self = .deleted
            return
        }
        self = .change(
            object,
            change.map {
                PropertyChange(name: $0.name, oldValue: $0.oldValue, newValue: value($0.name))
            })
    }
}

/// A property of an object that has changed.
public struct PropertyChange {
    /// The name of the property in its class.
    public let name: String
    /// The earlier value; nil for null and for collections. A linked object is shown as it is now, and may be invalidated.
    public let oldValue: Any?
    /// The present value of the property.
    public let newValue: Any?
}

/// The properties of an object or of a projection, as they are reported to observers. Used only where the realm belongs.
protocol ObservedProperties: AnyObject {
    /// The positions of the properties with an observed change in a step.
    func changes(
        _ step: RealmStep, from old: StoredState, to new: StoredState
    ) throws(StoreError) -> [Int]
    /// The value of a property in a state that is about to be released.
    func value(_ position: Int, in state: StoredState) -> Any?
    func name(_ position: Int) -> String
}

/// An object that is followed from version to version.
///
/// Edits move the path to an embedded object in a list, so each version has its own path to the object.
struct TrackedObject {
    private let place: ObjectReference
    private var owners: [EditPath.Owner]

    init(_ place: ObjectReference) {
        self.place = place
        owners = place.owners
    }

    /// Advances to the next version.
    ///
    /// - Returns: The object before and after; nil in a version without the object.
    mutating func advance(
        _ step: RealmStep
    ) throws(StoreError) -> (old: StoredState?, new: StoredState?) {
        let old = try StoredState(place, owners, in: step.before)
        owners = place.owners
        let new = place.isGone ? nil : try StoredState(place, owners, in: step.after)
        return (old, new)
    }
}
