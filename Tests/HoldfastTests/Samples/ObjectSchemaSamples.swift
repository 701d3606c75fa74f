import Holdfast
import Testing

/// object-schema-examples 1: a new object type.
private enum ObjectSchema1 {
    static let objectTypes: [ObjectBase.Type] = [Dog.self]

    class Dog: Object {
        @Persisted var name: String
        @Persisted var age: Int
    }
}

/// object-schema-examples 2: optional and required properties.
private enum ObjectSchema2 {
    static let objectTypes: [ObjectBase.Type] = [Person.self]

    class Person: Object {
        // Required string property
        @Persisted var name: String = ""
        // Optional string property
        @Persisted var address: String?
        // Required numeric property
        @Persisted var ageYears: Int = 0
        // Optional numeric property
        @Persisted var heightCm: Float?
    }
}

/// object-schema-examples 3: a primary key.
private enum ObjectSchema3 {
    static let objectTypes: [ObjectBase.Type] = [Project.self]

    class Project: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var name = ""
    }
}

/// object-schema-examples 4: an index.
private enum ObjectSchema4 {
    static let objectTypes: [ObjectBase.Type] = [Book.self]

    class Book: Object {
        @Persisted var priceCents = 0
        @Persisted(indexed: true) var title = ""
    }
}

/// object-schema-examples 5: ignored properties.
private enum ObjectSchema5 {
    static let objectTypes: [ObjectBase.Type] = [Person.self]

    class Person: Object {
        @Persisted var firstName = ""
        @Persisted var lastName = ""
        // Left without @Persisted, and so ignored
        var tmpId = 0
        // Read-only properties are ignored
        var fullName: String { "\(firstName) \(lastName)" }
    }
}

/// object-schema-examples 6: enum properties.
private enum ObjectSchema6 {
    static let objectTypes: [ObjectBase.Type] = [Task.self]

    enum TaskStatus: String, PersistableEnum {
        case notStarted
        case inProgress
        case complete
    }

    enum Priority: Int, PersistableEnum {
        case low = 1
        case high = 9
    }

    class Task: Object {
        @Persisted var name = ""
        // Required enum property
        @Persisted var status = TaskStatus.notStarted
        // Optional enum property
        @Persisted var planned: TaskStatus?
        // An enum of another raw type, and without a default
        @Persisted var priority: Priority
    }
}

/// object-schema-examples 11.
private enum ObjectSchema11 {
    static let objectTypes: [ObjectBase.Type] = [MyModel.self]

    class MyModel: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var tags: List<String>
        @Persisted var other: MyModel?
    }

    static func standalone(_ persistedModelObject: MyModel) -> MyModel {
        let standaloneModelObject = MyModel(value: persistedModelObject)
        return standaloneModelObject
    }
}

@Suite("The samples of the page on object schemas")
struct ObjectSchemaSamples {
    @Test("a class of objects has a table of its name and objects with its properties")
    func definesTypes() throws {
        typealias Sample = ObjectSchema1
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        #expect(Sample.Dog.className() == "Dog")
        try realm.write { realm.add(Sample.Dog(value: ["name": "Rex", "age": 3])) }
        let dog = try #require(realm.objects(Sample.Dog.self).first)
        #expect(dog.name == "Rex" && dog.age == 3)
    }

    @Test("an optional property starts as nil and takes nil again, a required one has a value")
    func hasOptionals() throws {
        typealias Sample = ObjectSchema2
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let person = Sample.Person()
        try realm.write { realm.add(person) }
        #expect(
            person.name.isEmpty && person.address == nil && person.ageYears == 0
                && person.heightCm == nil)
        try realm.write {
            person.address = "Main Street 1"
            person.heightCm = 171.5
        }
        #expect(person.address == "Main Street 1" && person.heightCm == 171.5)
        #expect(realm.objects(Sample.Person.self).filter("address == nil").isEmpty)
        try realm.write {
            person.address = nil
            person.heightCm = nil
        }
        #expect(person.address == nil && person.heightCm == nil)
        #expect(realm.objects(Sample.Person.self).filter("address == nil").count == 1)
    }

    @Test("an object is found by its primary key, updated by it, and unique by it")
    func hasPrimaryKeys() throws {
        typealias Sample = ObjectSchema3
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        try realm.write { realm.add(Sample.Project(value: ["id": 1, "name": "first"])) }
        #expect(realm.object(ofType: Sample.Project.self, forPrimaryKey: 1)?.name == "first")
        let error = #expect(throws: ValueFault.self) {
            try realm.write { realm.add(Sample.Project(value: ["id": 1, "name": "second"])) }
        }
        #expect(
            error?.message
                == "Attempting to create an object of type 'Project' with an existing primary key value '1'."
        )
        try realm.write {
            realm.create(Sample.Project.self, value: ["id": 1, "name": "third"], update: .modified)
        }
        #expect(realm.objects(Sample.Project.self).map(\.name) == ["third"])
    }

    @Test("an indexed property is found by its value and by a choice of values")
    func indexes() throws {
        typealias Sample = ObjectSchema4
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        try realm.write {
            for (price, title) in ["Emma", "Ulysses", "Dracula"].enumerated() {
                realm.add(Sample.Book(value: ["priceCents": price, "title": title]))
            }
        }
        let books = realm.objects(Sample.Book.self)
        #expect(books.filter("title == 'Ulysses'").map(\.priceCents) == [1])
        #expect(Set(books.filter("title IN {'Emma', 'Dracula'}").map(\.priceCents)) == [0, 2])
    }

    @Test("an ignored property keeps the instance's own value, and no query knows it")
    func ignores() throws {
        typealias Sample = ObjectSchema5
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let person = Sample.Person(value: ["firstName": "Ada", "lastName": "Lovelace"])
        person.tmpId = 7
        try realm.write { realm.add(person) }
        #expect(person.tmpId == 7 && person.fullName == "Ada Lovelace")
        let stored = try #require(realm.objects(Sample.Person.self).first)
        #expect(stored.tmpId == 0 && stored.fullName == "Ada Lovelace")
        for text in ["tmpId == 0", "fullName == 'Ada Lovelace'"] {
            #expect(throws: InvalidQuery.self) {
                try realm.objects(Sample.Person.self).filter(validating: text)
            }
        }
    }

    @Test("an enum is stored as its raw value, which queries use")
    func storesEnums() throws {
        typealias Sample = ObjectSchema6
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let task = Sample.Task()
        try realm.write { realm.add(task) }
        #expect(task.status == .notStarted && task.planned == nil && task.priority == .low)
        try realm.write {
            task.status = .complete
            task.planned = .inProgress
            task.priority = .high
        }
        #expect(task.status == .complete && task.planned == .inProgress && task.priority == .high)
        let tasks = realm.objects(Sample.Task.self)
        #expect(
            tasks.filter("status == 'complete' AND planned == 'inProgress' AND priority == 9").count
                == 1)
        #expect(Sample.TaskStatus.complete < .inProgress)
    }

    @Test("an unmanaged copy of a managed object has its values and leaves it as it is")
    func copies() throws {
        typealias Sample = ObjectSchema11
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let managed = Sample.MyModel(
            value: ["id": 1, "name": "Ada", "tags": ["a", "b"], "other": ["id": 2]] as [String: Any]
        )
        try realm.write { realm.add(managed) }
        let copy = Sample.standalone(managed)
        #expect(copy.realm == nil && copy.id == 1 && copy.name == "Ada")
        #expect(Array(copy.tags) == ["a", "b"] && copy.tags.realm == nil)
        #expect(copy.other?.id == 2)
        copy.name = "Bo"
        copy.tags.append("c")
        #expect(managed.name == "Ada" && managed.tags.count == 2)
    }
}
