import HoldfastObjectStore

/// The properties of an object, or of a projection of it, as observers are told them. Where the realm belongs alone uses it.
protocol ObservedProperties: AnyObject {
    /// The properties of which something observed has changed in a step, by their positions.
    func changes(
        _ step: RealmStep, from old: StoredState, to new: StoredState
    ) throws(StoreError) -> [Int]
    /// The value of a property in a state that is about to go.
    func value(_ position: Int, in state: StoredState) -> Any?
    /// A value that is to be recognized when it comes again; nil for what leads on, and for what is not compared.
    func bytes(_ position: Int, in state: StoredState) -> [UInt8]?
    /// The name of a property.
    func name(_ position: Int) -> String
}

extension ObservedProperties {
    func bytes(_ position: Int, in state: StoredState) -> [UInt8]? { nil }
}
