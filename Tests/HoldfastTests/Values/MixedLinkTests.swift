import Foundation
import Holdfast
import Testing

private class MixedPart: EmbeddedObject {
    @Persisted var size = 0
}
private final class WidePart: MixedPart {
    @Persisted var more = ""
}
private final class Signal: AsymmetricObject {
    @Persisted(primaryKey: true) var id: ObjectId
}
private class Animal: Object {
    @Persisted var name = ""
}
private final class Cat: Animal {
    @Persisted var lives = 9
}
private final class Keeper: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var anySet: MutableSet<AnyRealmValue>
    @Persisted var anyMap: Map<String, AnyRealmValue>
    @Persisted var part: MixedPart?
    @Persisted var parts: List<MixedPart>
    @Persisted var namedParts: Map<String, MixedPart?>
    @Persisted var animal: Animal?
    @Persisted var animals: List<Animal>
    @Persisted var animalSet: MutableSet<Animal>
    @Persisted var namedAnimals: Map<String, Animal?>
}

@Suite("Links to objects of other kinds and classes")
struct MixedLinkTests {
    private func realm() throws -> (Realm, Keeper) {
        let realm = try Realm.ofSample(
            "\(UUID())",
            [
                MixedPart.self, WidePart.self, Signal.self, Animal.self, Cat.self, Keeper.self,
            ])
        let keeper = Keeper(value: ["id": 1, "part": ["size": 3]] as [String: Any])
        try realm.write {
            realm.add(keeper)
            realm.create(Signal.self)
            realm.create(Cat.self, value: ["name": "Tom"])
            realm.create(Animal.self, value: ["name": "Rex"])
        }
        return (realm, keeper)
    }

    /// Expects that a write fails because of a value, and changes nothing.
    private func refuses(
        _ realm: Realm, _ text: String, _ location: SourceLocation = #_sourceLocation,
        _ body: () -> Void
    ) {
        let fault = #expect(throws: ValueFault.self, sourceLocation: location) {
            try realm.write(body)
        }
        #expect(
            fault?.message.contains(text) == true, "\(fault?.message ?? "")",
            sourceLocation: location)
    }

    @Test("are no values of a property by its name, of created objects, and of what they nest")
    func stated() throws {
        let (realm, keeper) = try realm()
        for object: ObjectBase in [MixedPart(), keeper.part ?? MixedPart(), Signal()] {
            for nested: Any in [object, [object], ["k": object], [["k": [1, object] as [Any]]]] {
                refuses(realm, "'mixed' property 'Keeper.any'") { keeper["any"] = nested }
                refuses(realm, "property 'Keeper.anys'") { keeper["anys"] = [nested] }
                refuses(realm, "property 'Keeper.anySet'") { keeper["anySet"] = [nested] }
                refuses(realm, "property 'Keeper.anyMap'") { keeper["anyMap"] = ["k": nested] }
                for name in ["any", "anys", "anyMap"] {
                    let stated: [String: Any] = [
                        "any": nested, "anys": [nested], "anyMap": ["k": nested],
                    ]
                    let value: [String: Any] = ["id": 2, name: stated[name] as Any]
                    refuses(realm, "property 'Keeper.\(name)'") {
                        realm.create(Keeper.self, value: value)
                    }
                    refuses(realm, "property 'Keeper.\(name)'") {
                        realm.create(Keeper.self, value: value, update: .modified)
                    }
                    refuses(realm, "property 'Keeper.\(name)'") {
                        realm.dynamicCreate("Keeper", value: value)
                    }
                }
                refuses(realm, "property 'Keeper.any'") {
                    realm.dynamicObjects("Keeper").first?.any = nested
                }
            }
        }
        #expect(keeper.any == .none && keeper.anys.isEmpty && realm.objects(Keeper.self).count == 1)
    }

    @Test("are no values either where an object comes by the name of its class")
    func dynamic() throws {
        let (realm, keeper) = try realm()
        let keepers = realm.dynamicObjects("Keeper")
        let part = try #require(keepers.first?.part as? DynamicObject)
        let signal = try #require(realm.dynamicObjects("Signal").first)
        for object in [part, signal] {
            let value = AnyRealmValue.object(object)
            for nested in [value, .fromArray([value]), .fromDictionary(["k": value])] {
                refuses(realm, "for an AnyRealmValue") { keeper.any = nested }
                refuses(realm, "for an AnyRealmValue") { keeper.anys.append(nested) }
                refuses(realm, "for an AnyRealmValue") { keeper.anySet.insert(nested) }
                refuses(realm, "for an AnyRealmValue") { keeper.anyMap["k"] = nested }
                refuses(realm, "for an AnyRealmValue") {
                    let other = Keeper(value: [2])
                    other.any = nested
                    realm.add(other)
                }
            }
        }
        try realm.write { keeper.any = .object(keepers[0]) }
        #expect(keeper.any.object(Keeper.self) == keeper)
    }

    @Test("are refused as links, also where the class is a derived one")
    func otherClasses() throws {
        let (realm, keeper) = try realm()
        let tom = try #require(realm.objects(Cat.self).first)
        for cat in [tom, Cat()] {
            refuses(realm, "of type 'Cat' for 'Animal' property 'Keeper.animal'") {
                keeper.animal = cat
            }
            refuses(realm, "'Keeper.animals'") { keeper.animals.append(cat) }
            refuses(realm, "'Keeper.animalSet'") { keeper.animalSet.insert(cat) }
            refuses(realm, "'Keeper.namedAnimals'") { keeper.namedAnimals["k"] = cat }
            refuses(realm, "'Keeper.animals'") {
                realm.create(Keeper.self, value: ["id": 2, "animals": [cat]] as [String: Any])
            }
            refuses(realm, "'Keeper.animal'") {
                let other = Keeper(value: [2])
                other.animal = cat
                realm.add(other)
            }
        }
        let dynamic = try #require(realm.dynamicObjects("Keeper").first)
        let dynamicTom = try #require(realm.dynamicObjects("Cat").first)
        refuses(realm, "'Keeper.animal'") { dynamic.animal = dynamicTom }
        refuses(realm, "'Keeper.animals'") { dynamic.dynamicList("animals").append(dynamicTom) }
        refuses(realm, "'Keeper.animalSet'") {
            dynamic.dynamicMutableSet("animalSet").insert(dynamicTom)
        }
        refuses(realm, "'Keeper.namedAnimals'") {
            dynamic.dynamicMap("namedAnimals")["k"] = dynamicTom
        }
        #expect(keeper.animals.isEmpty && keeper.animal == nil)
    }

    @Test("are refused as embedded objects of a derived class, whose rows have another form")
    func derivedParts() throws {
        let (realm, keeper) = try realm()
        refuses(realm, "of type 'WidePart' for 'MixedPart' property 'Keeper.part'") {
            keeper.part = WidePart()
        }
        refuses(realm, "'Keeper.parts'") { keeper.parts.append(WidePart()) }
        refuses(realm, "'Keeper.namedParts'") { keeper.namedParts["k"] = WidePart() }
        let dynamicTom = try #require(realm.dynamicObjects("Cat").first)
        refuses(realm, "'Keeper.parts'") {
            realm.dynamicObjects("Keeper").first?.dynamicList("parts").append(dynamicTom)
        }
        #expect(keeper.part?.size == 3 && keeper.parts.isEmpty)
    }

    @Test("and of no kind at all are faults, and nothing of a list or dictionary is left out")
    func unfit() throws {
        struct Own {}
        let (realm, _) = try realm()
        for value: Any in [Own(), [1, Own()], ["k": Own()], [["k": [Own()]]]] {
            refuses(realm, "'mixed' property 'Keeper.any'") {
                realm.create(Keeper.self, value: ["id": 2, "any": value])
            }
        }
    }
}
