import Foundation
import Holdfast
import JSON

class Dog: Object {
    @Persisted(indexed: true) var name = ""
    @Persisted var age = 0
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
}

class Person: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name = ""
    @Persisted var dogs: List<Dog>
}

/// A class that nothing refers to.
class Lead: Object {
    @Persisted var length = 1.5
}

let folder = URL(fileURLWithPath: CommandLine.arguments[1])
let realm = try Realm(fileURL: folder)
try realm.write {
    realm.create(Person.self, value: ["name": "Ada", "dogs": [["name": "Rex", "age": 3]]])
}
for dog in realm.objects(Dog.self).filter("age > $0", 2).sorted(byKeyPath: "name") {
    print(dog.name, dog.owners.map(\.name).joined(separator: ", "))
}
print(realm.schema.objectSchema.map(\.className).sorted().joined(separator: " "), JSON.name)
