// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The samples are as the page has them.

import Holdfast
import HoldfastTestSupport
import Testing

/// A type of the program's that no property can have by itself, as CoreLocation's on other systems.
struct CLLocationCoordinate2D: Hashable {
    var latitude: Double
    var longitude: Double
}

// supported-types 10. `Location` stands in the namespace of sample 13.

// Extend a type as a CustomPersistable if if is impossible for
// conversion between the mapped type and the persisted type to fail.
extension CLLocationCoordinate2D: CustomPersistable {
    // Define the storage object that is persisted to the database.
    // The `PersistedType` must be a type that Realm supports.
    // In this example, the PersistedType is an embedded object.
    public typealias PersistedType = SupportedTypes13.Location
    // Construct an instance of the mapped type from the persisted type.
    // When reading from the database, this converts the persisted type to the mapped type.
    public init(persistedValue: PersistedType) {
        self.init(latitude: persistedValue.latitude, longitude: persistedValue.longitude)
    }
    // Construct an instance of the persisted type from the mapped type.
    // When writing to the database, this converts the mapped type to a persistable type.
    public var persistableValue: PersistedType {
        SupportedTypes13.Location(value: [self.latitude, self.longitude])
    }
}

// Extend a type as a FailableCustomPersistable if it is possible for
// conversion between the mapped type and the persisted type to fail.
// This returns nil on read if the underlying column contains nil or
// something that can't be converted to the specified type.
extension URL: FailableCustomPersistable {
    // Define the storage object that is persisted to the database.
    // The `PersistedType` must be a type that Realm supports.
    public typealias PersistedType = String
    // Construct an instance of the mapped type from the persisted type.
    // When reading from the database, this converts the persisted type to the mapped type.
    // This must be a failable initializer when the conversion may fail.
    public init?(persistedValue: String) { self.init(string: persistedValue) }
    // Construct an instance of the persisted type from the mapped type.
    // When writing to the database, this converts the mapped type to a persistable type.
    public var persistableValue: String { self.absoluteString }
}

/// supported-types 11, the part of it that compiles: an optional of a mapped type.
private enum SupportedTypes11 {
    static let objectTypes: [ObjectBase.Type] = [Club.self]

    class Club: Object {
        @Persisted var id: ObjectId
        @Persisted var name: String
        // Although the `PersistedType` cannot be optional, you can use the
        // custom-mapped type as an optional in your object model.
        @Persisted var url: URL?
    }
}

/// supported-types 12 and 13.
enum SupportedTypes13 {
    static let objectTypes: [ObjectBase.Type] = [Club.self, Location.self]

    class Club: Object {
        @Persisted var id: ObjectId
        @Persisted var name: String
        // Since we declared the URL as a FailableCustomPersistable,
        // it must be optional.
        @Persisted var url: URL?
        // Here, the `location` property maps to an embedded object.
        // We can declare the property as required.
        // If the underlying field contains nil, this becomes
        // a default-constructed instance of CLLocationCoordinate
        // with field values of `0`.
        @Persisted var location: CLLocationCoordinate2D
    }

    public class Location: EmbeddedObject {
        @Persisted var latitude: Double
        @Persisted var longitude: Double
    }

    static func clubs() -> [Club] {
        // Initialize objects and assign values
        let club = Club(value: ["name": "American Kennel Club", "url": "https://akc.org"])
        let club2 = Club()
        club2.name = "Continental Kennel Club"
        // When assigning the value to a type-projected property, type safety
        // checks for the mapped type - not the persisted type.
        // swift-format-ignore: NeverForceUnwrap
        club2.url = URL(string: "https://ckcusa.com/")!
        club2.location = CLLocationCoordinate2D(latitude: 40.7509, longitude: 73.9777)
        return [club, club2]
    }
}

/// The classes of sample 13 as a program has them that does not map the properties.
private enum SupportedTypes13Unmapped {
    static let objectTypes: [ObjectBase.Type] = [Club.self, SupportedTypes13.Location.self]

    class Club: Object {
        @Persisted var id: ObjectId
        @Persisted var name: String
        @Persisted var url: String?
        @Persisted var location: SupportedTypes13.Location?
    }
}

@Suite("The samples of the page on supported types: mapped types")
struct TypeProjectionSamples {
    @Test(
        "a mapped type's conversions lead there and back, and a failable one refuses what is none")
    func converts() {
        let coordinate = CLLocationCoordinate2D(latitude: 40.7509, longitude: 73.9777)
        #expect(CLLocationCoordinate2D(persistedValue: coordinate.persistableValue) == coordinate)
        #expect(URL(persistedValue: "https://akc.org")?.persistableValue == "https://akc.org")
        #expect(URL(persistedValue: "") == nil)
    }

    @Test(
        "a failable mapped type is an optional property, which reads as nil where the stored value is none"
    )
    func readsInvalidAsNil() throws {
        typealias Sample = SupportedTypes11
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let club = Sample.Club(value: ["name": "none"])
        try realm.write { realm.add(club) }
        #expect(club.url == nil)
        try realm.write { club.url = URL(string: "https://akc.org") }
        #expect(club.url == URL(string: "https://akc.org"))
        #expect(realm.objects(Sample.Club.self).filter("url == 'https://akc.org'").count == 1)
        try realm.write { club.url = nil }
        #expect(club.url == nil)
    }

    @Test("mapped properties take mapped or persisted values and are read as mapped ones")
    func maps() throws {
        typealias Sample = SupportedTypes13
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let clubs = Sample.clubs()
        try realm.write { realm.add(clubs) }
        let stored = realm.objects(Sample.Club.self).sorted(byKeyPath: "name")
        #expect(stored.map(\.name) == ["American Kennel Club", "Continental Kennel Club"])
        #expect(
            stored.map(\.url) == ["https://akc.org", "https://ckcusa.com/"].map { URL(string: $0) })
        #expect(stored[0].location == CLLocationCoordinate2D(latitude: 0, longitude: 0))
        #expect(stored[1].location == CLLocationCoordinate2D(latitude: 40.7509, longitude: 73.9777))
        #expect(realm.objects(Sample.Club.self).filter("location.latitude > 40").count == 1)
        try realm.write { stored[0].location.latitude = 12 }
        #expect(stored[0].location == CLLocationCoordinate2D(latitude: 12, longitude: 0))
    }

    @Test(
        "a store of mapped properties opens without a migration where they have their persisted types"
    )
    func needsNoMigration() throws {
        typealias Unmapped = SupportedTypes13Unmapped
        let folder = TemporaryDirectory()
        func realm(_ types: [ObjectBase.Type]) throws -> Realm {
            let url = URL(fileURLWithPath: folder.path).appendingPathComponent("clubs.realm")
            return try Realm(configuration: .init(fileURL: url, objectTypes: types))
        }
        func write() throws {
            let realm = try realm(SupportedTypes13.objectTypes)
            try realm.write { realm.add(SupportedTypes13.clubs()) }
        }
        func writeUnmapped() throws {
            let realm = try realm(Unmapped.objectTypes)
            let clubs = realm.objects(Unmapped.Club.self).sorted(byKeyPath: "name")
            #expect(clubs.map(\.url) == ["https://akc.org", "https://ckcusa.com/"])
            #expect(clubs[1].location?.longitude == 73.9777)
            // A text that is no URL, and no location.
            let club = clubs[0]
            try realm.write { (club.url, club.location) = ("", nil) }
        }
        try write()
        try writeUnmapped()
        let reopened = try realm(SupportedTypes13.objectTypes)
        let club = try #require(
            reopened.objects(SupportedTypes13.Club.self).sorted(byKeyPath: "name").first)
        #expect(club.url == nil)
        #expect(club.location == CLLocationCoordinate2D(latitude: 0, longitude: 0))
    }
}
