// Each mistake is on a line of its own, above the beginning of the message that the compiler has for it.
import Foundation
import Holdfast

final class Mistaken: Object {
    @Persisted(primaryKey: true) var weight: Double
    // a primary key is an integer, a String, an ObjectId or a UUID
    @Persisted var dogs: [Dog]
    // a list is stored as List
    @Persisted var tags: Set<String>
    // a set is stored as MutableSet
    @Persisted var marks: [String: Int]
    // a dictionary is stored as Map
}

final class Older: Object {
    @objc dynamic var name = ""
    // Objective-C interoperability is disabled
}

func mistaken(_ realm: Realm, _ predicate: NSPredicate) {
    _ = realm.objects(Dog.self).filter(predicate)
    // write the condition as a text
}
