import Holdfast

extension Realm {
    /// Opens an empty realm in memory that has the classes of one sample.
    static func ofSample(_ name: String, _ objectTypes: [ObjectBase.Type]) throws -> Realm {
        try Realm(configuration: .init(inMemoryIdentifier: name, objectTypes: objectTypes))
    }
}
