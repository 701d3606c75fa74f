import Foundation
import Holdfast

enum Mood: String, PersistableEnum {
    case happy
    case sad
}

final class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name = "Rex"
    @Persisted var age: Int?
    @Persisted var weight: Double
    @Persisted var mood: Mood
    @Persisted var formerMood: Mood?
    @Persisted var friend: Dog?
    @Persisted(originProperty: "dogs") var keepers: LinkingObjects<Person>
    /// Not persisted, since others are.
    var tricks = 3
}

final class Address: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var city: String?
    @Persisted var inner: Address?
}

final class Person: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var name = ""
    @Persisted var born = Date(timeIntervalSince1970: 0)
    @Persisted var photo: Data
    @Persisted var balance: Decimal128
    @Persisted var token: ObjectId
    @Persisted var anything: AnyRealmValue
    @Persisted var dogs: List<Dog>
    @Persisted var home: Address?
    @Persisted var former: List<Address>
    @Persisted var marks: Map<String, Int>
    @Persisted var pets: Map<String, Dog?>
    @Persisted var tags: MutableSet<String>
    @Persisted var nicknames: List<String?>
}

/// Objects without a primary key.
final class Note: Object {
    @Persisted var text = ""
    @Persisted var next: Note?
    @Persisted var values: List<AnyRealmValue>
}

extension Realm {
    /// An empty realm in memory, for one test.
    static func empty(_ name: String = #function, file: String = #fileID) throws -> Realm {
        try Realm(
            configuration: Configuration(
                inMemoryIdentifier: "\(file) \(name) \(UUID())",
                objectTypes: [Dog.self, Address.self, Person.self, Note.self]))
    }
}
