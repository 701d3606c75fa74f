import Foundation
import Holdfast
import Testing

private class Target: Object {
    @Persisted var name = ""
}
private final class Inner: EmbeddedObject {
    @Persisted var name = ""
}
private final class Event: AsymmetricObject {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var inner: Inner?
    @Persisted var targets: List<Target>
}

/// Classes with faults, each in a namespace of its own.
private enum Faulty {
    final class TwoKeys: Object {
        @Persisted(primaryKey: true) var a: Int
        @Persisted(primaryKey: true) var b: Int
    }
    final class KeyedInner: EmbeddedObject {
        @Persisted(primaryKey: true) var id: Int
    }
    final class Required: Object {
        @Persisted var link: Target
        @Persisted var inner: Inner
        @Persisted var map: Map<String, Target>
    }
    final class OptionalElements: Object {
        @Persisted var list: List<Target?>
        @Persisted var set: MutableSet<Target?>
    }
    final class NoOrigin: Object {
        @Persisted var origins: LinkingObjects<Target>
    }
    final class WrongOrigin: Object {
        @Persisted(originProperty: "nothing") var origins: LinkingObjects<Target>
    }
    final class InnerSet: Object {
        @Persisted var set: MutableSet<Inner>
    }
    final class ToEvent: Object {
        @Persisted var event: Event?
        @Persisted var events: List<Event>
    }
    final class Loose: Object {
        @Persisted var elsewhere: Inner?
    }
    final class Generic<T: RealmCollectionValue>: Object {
        @Persisted var value: List<T>
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
private enum Long {
    /// 57 bytes of UTF-8.
    final class N23456789_123456789_123456789_123456789_123456789_1234567: Object {
        @Persisted var p23456789_123456789_123456789_123456789_123456789_123456789_123: Int
    }
    /// 58.
    final class N23456789_123456789_123456789_123456789_123456789_12345678: Object {
        @Persisted var p23456789_123456789_123456789_123456789_123456789_123456789_1234: Int
    }
}

private class Generic<T: RealmCollectionValue>: Object {
    @Persisted var list: List<T>
}
private final class OfInts: Generic<Int> {
    @Persisted var name = "ints"
}

private enum One {
    final class Twin: Object {
        @Persisted var a = 1
    }
}
private enum Two {
    private final class Twin: Object {
        @Persisted var b = 1
    }
    static var twin: ObjectBase.Type { Twin.self }
}

@Suite("The rules of classes")
struct SchemaRuleTests {
    private func message(_ types: ObjectBase.Type...) -> String {
        do {
            _ = try Realm.ofSample("\(UUID())", types)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("allow one primary key, and none in an embedded class")
    func primaryKeys() {
        #expect(
            message(Faulty.TwoKeys.self).contains(
                "Properties 'a' and 'b' are both marked as the primary key of 'TwoKeys'."))
        #expect(message(Faulty.KeyedInner.self).contains("can't have a primary key"))
    }

    @Test("make links and embedded objects optional, and elements of lists and sets never")
    func optionals() {
        let required = message(Faulty.Required.self, Target.self, Inner.self)
        for name in ["link", "inner", "map"] {
            #expect(required.contains("Object property '\(name)' must be marked as optional."))
        }
        #expect(required.components(separatedBy: "\n").count == 4)
        let elements = message(Faulty.OptionalElements.self, Target.self)
        #expect(elements.contains("List<Target> property 'list' must not be marked as optional."))
        #expect(
            elements.contains("MutableSet<Target> property 'set' must not be marked as optional."))
    }

    @Test("want an inverse link to name a property that links here")
    func origins() {
        #expect(
            message(Faulty.NoOrigin.self, Target.self).contains(
                "LinkingObjects property 'NoOrigin.origins' must set the origin property name with @Persisted(originProperty: "
            ))
        #expect(message(Faulty.WrongOrigin.self, Target.self).contains("Target.nothing"))
    }

    @Test("have no set of embedded objects, and no link to a class that the realm lacks")
    func others() {
        #expect(message(Faulty.InnerSet.self, Inner.self).contains("InnerSet.set"))
        #expect(message(Faulty.Loose.self).contains("Loose.elsewhere"))
    }

    @Test("let nothing link to an asymmetric class, which links to others itself")
    func asymmetric() throws {
        let text = message(Faulty.ToEvent.self, Event.self, Inner.self, Target.self)
        #expect(text.contains("ToEvent.event") && text.contains("ToEvent.events"))
        let realm = try Realm.ofSample("\(UUID())", [Event.self, Inner.self, Target.self])
        try realm.write {
            realm.create(
                Event.self,
                value: ["inner": ["name": "a"], "targets": [["name": "b"]]] as [String: Any])
        }
        #expect(realm.objects(Target.self).map(\.name) == ["b"])
    }

    @Test("are told all at once, of every class")
    func allAtOnce() {
        let text = message(
            Faulty.TwoKeys.self, Faulty.Required.self, Faulty.InnerSet.self,
            Faulty.WrongOrigin.self, Target.self, Inner.self)
        for part in ["TwoKeys", "'link'", "InnerSet.set", "Target.nothing"] {
            #expect(text.contains(part))
        }
    }

    @Test("allow names of 57 bytes for classes and of 63 for properties")
    func names() {
        #expect(
            message(Long.N23456789_123456789_123456789_123456789_123456789_1234567.self).isEmpty)
        let text = message(Long.N23456789_123456789_123456789_123456789_123456789_12345678.self)
        #expect(text.contains("has 58 bytes of UTF-8; 57 are allowed"))
        #expect(text.contains("has 64 bytes of UTF-8; 63 are allowed"))
    }

    @Test("want one class of a name, nested and private ones included, and name both")
    func unique() {
        let text = message(One.Twin.self, Two.twin)
        #expect(text.contains("One.Twin") && text.contains("Twin' and '"))
    }

    @Test("have no generic class, but those that inherit from one")
    func generic() throws {
        #expect(message(Faulty.Generic<Int>.self).contains("Generic<Int>"))
        let realm = try Realm.ofSample("\(UUID())", [OfInts.self])
        try realm.write { realm.create(OfInts.self, value: ["list": [1, 2]]) }
        #expect(realm.objects(OfInts.self).first?.list.count == 2)
        #expect(realm.schema["OfInts"]?.properties.map(\.name) == ["list", "name"])
    }
}
