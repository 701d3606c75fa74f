import Foundation
import Holdfast
import Testing

private final class Pet: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = "none"
    @Persisted var age: Int?
    @Persisted var home: Home?
    @Persisted var friend: Pet?
    @Persisted var friends: List<Pet>
    @Persisted var homes: List<Home>
    @Persisted var marks: Map<String, Int>
    @Persisted var tags: MutableSet<String>
    @Persisted var any: AnyRealmValue
    @Persisted var other: Home?
    @Persisted var named: Map<String, Home?>
    @Persisted var links: Map<String, Pet?>
}
private final class Home: EmbeddedObject {
    @Persisted var street = "Way"
    @Persisted var number: Int?
    @Persisted var marks: Map<String, Int>
    @Persisted var rooms: Map<String, Room?>
    @Persisted var hall: Room?
}
private final class Room: EmbeddedObject {
    @Persisted var name: String
    @Persisted var number = 5
}
private final class Row: Object {
    @Persisted var a = 1
    @Persisted var b = "b"
    @Persisted var c: Row?
    @Persisted var d: List<Int>
}
private final class Member: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var email: String
    @Persisted var name = "none"
}
private final class Account: Object {
    @Persisted(primaryKey: true) var number = 7
    @Persisted var note = "new"
    @Persisted var owner: Member?
}
private final class Log: AsymmetricObject {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var text = ""
    @Persisted var home: Home?
}

@Suite("Stated values")
struct ExplicitValueTests {
    private func realm() throws -> Realm {
        try Realm.ofSample("\(UUID())", [Pet.self, Home.self, Room.self, Row.self, Log.self])
    }

    @Test("are dictionaries by names, whose other properties have their defaults")
    func dictionaries() {
        let pet = Pet(
            value: [
                "id": 1, "age": NSNull(), "home": ["street": "Main"], "friend": ["id": 2],
                "friends": [["id": 3], [4, "Bo"]], "homes": [["street": "x"], ["y", 5]],
                "marks": ["a": 1], "tags": ["t", "t"], "any": ["list": [1, 2.5]],
            ] as [String: Any])
        #expect(pet.id == 1 && pet.name == "none" && pet.age == nil)
        #expect(pet.home?.street == "Main" && pet.home?.number == nil && pet.friend?.id == 2)
        #expect(pet.friends.map(\.name) == ["none", "Bo"] && pet.homes[1].number == 5)
        #expect(pet.marks["a"] == 1 && pet.tags.count == 1)
        #expect(pet.any.dictionaryValue?["list"]?.listValue?[1] == .double(2.5))
        #expect(Home(value: ["street": "Side"]).street == "Side")
    }

    @Test("are arrays in the order of declaration, as long as the class has properties")
    func arrays() throws {
        let row = Row(value: [5, "x", NSNull()])
        #expect(row.a == 5 && row.b == "x" && row.c == nil && row.d.isEmpty)
        #expect(Row(value: [7]).b == "b" && Row(value: [Any]()).a == 1)
        let realm = try realm()
        let fault = #expect(throws: ValueFault.self) {
            try realm.write { realm.create(Row.self, value: [1, "x", NSNull(), [2], 3] as [Any]) }
        }
        #expect(
            fault?.message == "Invalid array input: more values (5) than properties (4).")
        #expect(realm.isEmpty)
    }

    @Test("are objects, managed or not, whose links are shared and embedded objects copied")
    func objects() throws {
        let realm = try realm()
        let pet = Pet(
            value: ["id": 1, "home": ["street": "Main"], "friend": ["id": 2], "marks": ["a": 1]]
                as [String: Any])
        let copy = Pet(value: pet)
        #expect(copy.id == 1 && copy.home?.street == "Main" && copy.friend === pet.friend)
        copy.marks["a"] = 2
        #expect(pet.marks["a"] == 1)
        try realm.write {
            realm.add(pet)
            pet.homes.append(Home(value: ["street": "Old"]))
        }
        let unmanaged = Pet(value: pet)
        #expect(unmanaged.realm == nil && unmanaged.friend == pet.friend)
        #expect(unmanaged.home?.realm == nil && unmanaged.homes[0].street == "Old")
        unmanaged.id = 3
        unmanaged.home?.street = "New"
        try realm.write { realm.add(unmanaged) }
        #expect(pet.home?.street == "Main" && unmanaged.home?.street == "New")
        #expect(realm.objects(Pet.self).count == 3)
    }

    @Test("copy each embedded object as itself, however many were read and let go of before")
    func embeddedCopies() throws {
        let realm = try realm()
        let streets = (0..<100).map { "street \($0)" }
        let pet = Pet(
            value: [
                "id": 1, "home": ["street": "Main"], "homes": streets.map { ["street": $0] },
                "named": Dictionary(uniqueKeysWithValues: streets.map { ($0, ["street": $0]) }),
            ] as [String: Any])
        try realm.write { realm.add(pet) }
        let copy = Pet(value: pet)
        #expect(copy.home?.street == "Main" && copy.homes.map(\.street) == streets)
        for street in streets { #expect(copy.named[street]??.street == street) }
    }

    @Test("of a wrong type make nothing, and name the property and the types")
    func wrongTypes() async throws {
        let realm = try realm()
        func message(_ value: [String: Any]) -> String? {
            let fault = #expect(throws: ValueFault.self) {
                try realm.write { realm.create(Pet.self, value: value) }
            }
            return fault?.message
        }
        #expect(
            message(["id": "x"])
                == "Invalid value 'x' of type 'String' for 'int' property 'Pet.id'."
        )
        #expect(
            message(["id": 1, "friend": ["id": 2, "name": 5]])
                == "Invalid value '5' of type 'Int' for 'string' property 'Pet.name'.")
        #expect(message(["id": 1, "name": NSNull()])?.contains("property 'Pet.name'") == true)
        #expect(message(["id": 1, "nothing": 2])?.contains("nothing") == true)
        #expect(realm.isEmpty)
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Pet(value: ["id": "x"])
        }
        #expect(
            end.message.contains("Invalid value 'x' of type 'String' for 'int' property 'Pet.id'."))
    }

    @Test("change what they state of an object of the same primary key, and no more")
    func updates() throws {
        let realm = try realm()
        try realm.write {
            realm.create(
                Pet.self,
                value: [
                    "id": 1, "name": "Rex", "age": 3, "friend": ["id": 2, "name": "Bo"],
                    "marks": ["a": 1],
                ] as [String: Any])
        }
        let rex = try #require(realm.object(ofType: Pet.self, forPrimaryKey: 1))
        for policy in [Realm.UpdatePolicy.modified, .all] {
            try realm.write {
                let same = realm.create(
                    Pet.self, value: ["id": 1, "friend": ["id": 2, "age": 9]] as [String: Any],
                    update: policy)
                #expect(same == rex)
            }
            #expect(rex.name == "Rex" && rex.age == 3 && rex.marks["a"] == 1)
            #expect(rex.friend?.name == "Bo" && rex.friend?.age == 9)
        }
        try realm.write {
            realm.create(
                Pet.self,
                value: ["id": 1, "friend": NSNull(), "age": Int?.none as Any] as [String: Any],
                update: .modified)
        }
        #expect(rex.friend == nil && rex.age == nil && realm.objects(Pet.self).count == 2)
        try realm.write {
            realm.create(
                Pet.self, value: ["id": 1, "friends": [["id": 2], ["id": 5]], "tags": ["x"]],
                update: .modified)
        }
        #expect(rex.friends.map(\.id) == [2, 5] && rex.tags.first == "x")
        #expect(rex.friends[0].name == "Bo")
    }

    @Test(
        "without the primary key have its default, whatever is to become of an object that is there"
    )
    func defaultKeys() throws {
        let realm = try Realm.ofSample("\(UUID())", [Account.self, Member.self])
        for policy in [Realm.UpdatePolicy.error, .modified, .all] {
            try realm.write {
                let member = realm.create(Member.self, value: ["email": "x"], update: policy)
                #expect(member.email == "x" && member.name == "none")
                let account = Account.self
                realm.create(
                    account, value: ["owner": ["email": "y"]] as [String: Any],
                    update: policy == .error ? .modified : policy)
            }
        }
        // Keys are fresh each time, except in the class that has a single key as its default.
        #expect(realm.objects(Member.self).count == 6 && realm.objects(Account.self).count == 1)
        let account = try #require(realm.object(ofType: Account.self, forPrimaryKey: 7))
        #expect(account.owner?.email == "y" && account.note == "new")
        try realm.write {
            account.note = "old"
            realm.create(Account.self, value: [String: Any](), update: .modified)
        }
        #expect(account.note == "old" && account.owner?.email == "y")
    }

    @Test("that make new objects have the class's defaults, also in what is embedded")
    func newObjects() throws {
        let realm = try realm()
        for policy in [Realm.UpdatePolicy.modified, .all] {
            try realm.write {
                realm.deleteAll()
                let pet = realm.create(
                    Pet.self,
                    value: [
                        "id": 1, "home": ["number": 3], "friend": ["id": 2],
                        "homes": [["marks": ["a": 1]]], "named": ["k": ["rooms": ["r": [:]]]],
                        "other": ["hall": ["name": "A"]],
                    ] as [String: Any], update: policy)
                #expect(pet.name == "none" && pet.friend?.name == "none")
                #expect(pet.home?.street == "Way" && pet.home?.number == 3)
                #expect(pet.homes.first?.street == "Way" && pet.homes.first?.marks["a"] == 1)
                #expect(pet.named["k"]??.street == "Way")
                #expect(pet.named["k"]??.rooms["r"]??.number == 5)
                #expect(pet.other?.hall?.number == 5 && pet.other?.street == "Way")
                pet.name = "Rex"
                pet.home?.street = "Lane"
                realm.create(
                    Pet.self,
                    value: ["id": 1, "home": ["number": 4], "homes": [["hall": ["name": "B"]]]]
                        as [String: Any], update: policy)
                #expect(pet.name == "Rex" && pet.home?.street == "Lane" && pet.home?.number == 4)
                #expect(pet.homes.map(\.street) == ["Way"] && pet.homes.first?.hall?.number == 5)
            }
        }
    }

    @Test("take the place of whole collections, and of what those hold")
    func wholeCollections() throws {
        let realm = try realm()
        let whole: [String: Any] = [
            "id": 1, "friends": [["id": 2], ["id": 3], ["id": 4]], "marks": ["a": 1, "b": 2],
            "homes": [["street": "x", "number": 1], ["street": "y"]], "tags": ["t", "u"],
            "named": ["k": ["street": "x", "number": 1], "l": ["street": "y"]],
            "links": ["k": ["id": 2, "name": "Bo"], "l": ["id": 3]],
            "home": ["street": "x", "marks": ["a": 1, "b": 2], "rooms": ["k": [:], "l": [:]]],
        ]
        for policy in [Realm.UpdatePolicy.modified, .all] {
            let pet = try realm.write { realm.create(Pet.self, value: whole, update: policy) }
            let (home, named) = (pet.homes[0], try #require(pet.named["k"] ?? nil))
            let (own, room) = (pet.home, try #require(pet.home?.rooms["k"] ?? nil))
            try realm.write {
                realm.create(
                    Pet.self,
                    value: [
                        "id": 1, "friends": [["id": 3]], "marks": ["b": 3], "tags": ["u"],
                        "homes": [["street": "z"]], "named": ["k": ["street": "z"]],
                        "links": ["k": ["id": 2]],
                        "home": ["marks": ["b": 3], "rooms": ["k": [:]]],
                    ] as [String: Any], update: policy)
            }
            #expect(pet.friends.map(\.id) == [3] && Array(pet.tags) == ["u"])
            #expect(pet.marks.keys == ["b"] && pet.marks["b"] == 3)
            #expect(pet.homes.map(\.street) == ["z"] && pet.homes[0].number == nil)
            #expect(pet.named.keys == ["k"] && pet.named["k"]??.street == "z")
            #expect(pet.named["k"]??.number == nil)
            #expect(pet.links.keys == ["k"] && pet.links["k"]??.name == "Bo")
            #expect(pet.home?.street == "x" && pet.home?.isSameObject(as: own) == true)
            #expect(pet.home?.rooms.keys == ["k"])
            #expect(home.isInvalidated && named.isInvalidated && room.isInvalidated)
            try realm.write {
                realm.create(
                    Pet.self, value: ["id": 1, "marks": [:], "home": ["marks": [:]]], update: policy
                )
            }
            #expect(pet.marks.isEmpty && pet.home?.marks.isEmpty == true && pet.named.count == 1)
        }
    }

    @Test("need a primary key to change an object, and fail where none may be changed")
    func policies() throws {
        let realm = try realm()
        let fault = #expect(throws: ValueFault.self) {
            try realm.write { realm.create(Row.self, value: [1], update: .modified) }
        }
        #expect(fault?.message == "'Row' does not have a primary key and can not be updated")
        let added = #expect(throws: ValueFault.self) {
            try realm.write { realm.add(Row(), update: .all) }
        }
        #expect(added?.message == "'Row' does not have a primary key and can not be updated")
        try realm.write { realm.create(Pet.self, value: [1]) }
        let taken = #expect(throws: ValueFault.self) {
            try realm.write { realm.create(Pet.self, value: ["id": 1], update: .error) }
        }
        #expect(
            taken?.message
                == "Attempting to create an object of type 'Pet' with an existing primary key value '1'."
        )
    }

    @Test("of another realm are copied with all that they lead to, in cycles too")
    func otherRealm() throws {
        let (realm, other) = (try realm(), try realm())
        let pet = Pet(value: ["id": 1, "name": "Rex", "home": ["street": "Main"]] as [String: Any])
        pet.friend = Pet(value: ["id": 2, "name": "Bo"] as [String: Any])
        pet.friend?.friends.append(pet)
        pet.any = .fromArray([.object(pet)])
        try realm.write { realm.add(pet) }
        let copy = try other.write { other.create(Pet.self, value: pet) }
        #expect(copy.realm == other && copy.home?.street == "Main")
        #expect(copy.friend?.realm == other && copy.friend?.friends.first == copy)
        #expect(copy.any.listValue?[0].object(Pet.self) == copy)
        #expect(other.objects(Pet.self).count == 2)
        let fault = #expect(throws: ValueFault.self) { try other.write { other.add(pet) } }
        #expect(
            fault?.message
                == "Object is already managed by another Realm. Use create instead to copy it into this Realm."
        )
    }

    @Test("of an added object that is added again change nothing, of a deleted one fail")
    func addedTwice() throws {
        let realm = try realm()
        let pet = Pet(value: [1])
        try realm.write {
            realm.add(pet)
            realm.add(pet)
        }
        try realm.write { realm.delete(pet) }
        let fault = #expect(throws: ValueFault.self) { try realm.write { realm.add(pet) } }
        #expect(
            fault?.message == "Adding a deleted or invalidated object to a Realm is not permitted")
    }

    @Test("of an asymmetric class go to its outbox, and are none of the realm's objects")
    func asymmetric() throws {
        let realm = try realm()
        try realm.write {
            realm.create(Log.self, value: ["text": "a", "home": ["street": "b"]] as [String: Any])
            realm.create(Log.self)
        }
        #expect(realm.isEmpty && realm.schema["Log"]?["text"]?.type == .string)
    }
}
