import Holdfast
import Testing

/// object-schema-examples 7: a to-one relationship.
private enum ObjectSchema7 {
    static let objectTypes: [ObjectBase.Type] = [Person.self, Dog.self]

    class Person: Object {
        @Persisted var name: String = ""
        @Persisted var birthdate: Date = Date(timeIntervalSince1970: 1)
        // A person can have one dog
        @Persisted var dog: Dog?
    }

    class Dog: Object {
        @Persisted var name: String = ""
        // No backlink to the person: the relationship leads in one direction
    }
}

/// object-schema-examples 8: a to-many relationship.
private enum ObjectSchema8 {
    static let objectTypes: [ObjectBase.Type] = [Person.self, Dog.self]

    class Person: Object {
        @Persisted var name: String = ""
        // A person can have many dogs
        @Persisted var dogs: List<Dog>
    }

    class Dog: Object {
        @Persisted var name: String = ""
    }
}

/// object-schema-examples 9: an inverse relationship.
private enum ObjectSchema9 {
    static let objectTypes: [ObjectBase.Type] = [User.self, Task.self]

    class User: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var _partition: String = ""
        @Persisted var name: String = ""
        // A user can have many tasks
        @Persisted var tasks: List<Task>
    }

    class Task: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var text: String = ""
        // Backlink to the user, kept by the realm as the user's tasks change
        @Persisted(originProperty: "tasks") var assignee: LinkingObjects<User>
    }
}

/// object-schema-examples 10: embedded objects.
private enum ObjectSchema10 {
    static let objectTypes: [ObjectBase.Type] = [Contact.self, Business.self, Address.self]

    class Address: EmbeddedObject {
        @Persisted var street: String?
        @Persisted var city: String?
        @Persisted var country: String?
        @Persisted var postalCode: String?
    }

    class Contact: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name: String = ""
        // Embed a single object: it must be optional
        @Persisted var address: Address?

        convenience init(name: String, address: Address) {
            self.init()
            self.name = name
            self.address = address
        }
    }

    class Business: Object {
        @Persisted var name: String = ""
        // Embed many objects
        @Persisted var addresses: List<Address>

        convenience init(name: String, addresses: [Address]) {
            self.init()
            self.name = name
            self.addresses.append(objectsIn: addresses)
        }
    }
}

@Suite("The samples of the page on object schemas: relationships")
struct ObjectRelationshipSamples {
    @Test(
        "a to-one link leads to one object, which stays when the link is cleared and clears the link when it goes"
    )
    func linksToOne() throws {
        typealias Sample = ObjectSchema7
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let person = Sample.Person(value: ["name": "Ada", "dog": ["name": "Rex"]] as [String: Any])
        try realm.write { realm.add(person) }
        #expect(person.dog?.name == "Rex" && person.birthdate == Date(timeIntervalSince1970: 1))
        #expect(realm.objects(Sample.Person.self).filter("dog.name == 'Rex'").count == 1)
        let dog = try #require(person.dog)
        try realm.write { person.dog = nil }
        #expect(person.dog == nil && realm.objects(Sample.Dog.self).count == 1)
        try realm.write { person.dog = dog }
        try realm.write { realm.delete(dog) }
        #expect(person.dog == nil && dog.isInvalidated)
    }

    @Test(
        "a to-many link has its objects in order, one of them twice if wanted, and loses the deleted"
    )
    func linksToMany() throws {
        typealias Sample = ObjectSchema8
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let person = Sample.Person(
            value: ["name": "Ada", "dogs": [["name": "Rex"], ["name": "Bo"]]] as [String: Any])
        try realm.write { realm.add(person) }
        let rex = person.dogs[0]
        try realm.write { person.dogs.append(rex) }
        #expect(person.dogs.map(\.name) == ["Rex", "Bo", "Rex"])
        #expect(realm.objects(Sample.Dog.self).count == 2)
        #expect(realm.objects(Sample.Person.self).filter("ANY dogs.name == 'Bo'").count == 1)
        try realm.write { realm.delete(rex) }
        #expect(person.dogs.map(\.name) == ["Bo"])
    }

    @Test("an inverse link follows the links that it is the inverse of, and queries use it")
    func linksBack() throws {
        typealias Sample = ObjectSchema9
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let task = Sample.Task(value: ["text": "write"])
        let ada = Sample.User(value: ["name": "Ada", "tasks": [task]] as [String: Any])
        let bo = Sample.User(value: ["name": "Bo"])
        try realm.write { realm.add([ada, bo]) }
        #expect(task.assignee.map(\.name) == ["Ada"])
        try realm.write { bo.tasks.append(task) }
        #expect(Set(task.assignee.map(\.name)) == ["Ada", "Bo"])
        #expect(
            realm.objects(Sample.Task.self).filter("ANY assignee.name == 'Bo'").map(\.text) == [
                "write"
            ])
        try realm.write { ada.tasks.removeAll() }
        #expect(task.assignee.map(\.name) == ["Bo"])
        try realm.write { realm.delete(bo) }
        #expect(task.assignee.isEmpty && !task.isInvalidated)
    }

    @Test("an embedded object belongs to its parent, is replaced with it and goes with it")
    func embeds() throws {
        typealias Sample = ObjectSchema10
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let contact = Sample.Contact(
            name: "Ada", address: Sample.Address(value: ["city": "London"]))
        let business = Sample.Business(
            name: "Engines",
            addresses: [
                Sample.Address(value: ["city": "Bath"]), Sample.Address(value: ["city": "York"]),
            ])
        try realm.write {
            realm.add(contact)
            realm.add(business)
        }
        #expect(business.addresses.map(\.city) == ["Bath", "York"])
        #expect(realm.objects(Sample.Contact.self).filter("address.city == 'London'").count == 1)
        let old = try #require(contact.address)
        try realm.write { old.street = "Main Street 1" }
        #expect(contact.address?.street == "Main Street 1" && contact.address?.country == nil)
        try realm.write { contact.address = Sample.Address(value: ["city": "Paris"]) }
        #expect(contact.address?.city == "Paris")
        #expect(realm.objects(Sample.Contact.self).filter("address.city == 'London'").isEmpty)
        let address = business.addresses[0]
        try realm.write { realm.delete(business) }
        #expect(address.isInvalidated)
    }

    @Test("an embedded object that has a parent is not given another one")
    func refusesSecondParents() throws {
        typealias Sample = ObjectSchema10
        let realm = try Realm.ofSample("\(Sample.self) parents", Sample.objectTypes)
        let contact = Sample.Contact(
            name: "Ada", address: Sample.Address(value: ["city": "London"]))
        let other = Sample.Contact(name: "Bo", address: Sample.Address(value: ["city": "York"]))
        try realm.write { realm.add([contact, other]) }
        let error = #expect(throws: ValueFault.self) {
            try realm.write { other.address = contact.address }
        }
        #expect(error?.message == "Can't set link to existing managed embedded object")
        #expect(contact.address?.city == "London" && other.address?.city == "York")
    }
}
