import Foundation
import Holdfast
import Testing

private final class Leaf: EmbeddedObject {
    @Persisted var name = ""
    @Persisted var inner: Leaf?
    @Persisted var leaves: List<Leaf>
    @Persisted var link: Tree?
}

private final class Tree: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var crown: Leaf?
    @Persisted var leaves: List<Leaf>
    @Persisted var named: Map<String, Leaf?>
}

@Suite("Embedded objects")
struct EmbeddedTests {
    private func tree(_ realm: Realm, _ names: String...) throws -> Tree {
        let tree = Tree()
        tree.leaves.append(objectsIn: names.map { Leaf(value: ["name": $0]) })
        try realm.write { realm.add(tree) }
        return tree
    }

    private func realm() throws -> Realm {
        try Realm.ofSample("\(UUID())", [Tree.self, Leaf.self])
    }

    @Test("in a list are followed when others come, go and move")
    func follows() throws {
        let realm = try realm()
        let tree = try tree(realm, "a", "b", "c")
        let (a, b, c) = (tree.leaves[0], tree.leaves[1], tree.leaves[2])
        try realm.write {
            tree.leaves.insert(Leaf(value: ["name": "new"]), at: 0)
            #expect([a, b, c].map(\.name) == ["a", "b", "c"])
            tree.leaves.remove(at: 2)
            #expect(b.isInvalidated && a.name == "a" && c.name == "c")
            c.name = "changed"
            tree.leaves.move(from: 2, to: 0)
        }
        #expect(tree.leaves.map(\.name) == ["changed", "new", "a"])
        #expect(a.name == "a" && c.name == "changed" && c.isSameObject(as: tree.leaves[0]))
        try realm.write { tree.leaves.swapAt(0, 2) }
        #expect(tree.leaves.map(\.name) == ["a", "new", "changed"] && c.name == "changed")
        try realm.write { tree.leaves.removeAll() }
        #expect(a.isInvalidated && c.isInvalidated)
    }

    @Test("inside of one another are followed as well, and lists of those that move")
    func followsInside() throws {
        let realm = try realm()
        let tree = try tree(realm, "a", "b")
        try realm.write {
            tree.leaves[1].inner = Leaf(value: ["name": "inner"])
            tree.leaves[1].leaves.append(objectsIn: [
                Leaf(value: ["name": "x"]), Leaf(value: ["name": "y"]),
            ])
        }
        let leaves = tree.leaves[1].leaves
        let (inner, y) = (try #require(tree.leaves[1].inner), leaves[1])
        try realm.write {
            tree.leaves.remove(at: 0)
            leaves.insert(Leaf(value: ["name": "w"]), at: 0)
        }
        #expect(inner.name == "inner" && y.name == "y" && leaves.map(\.name) == ["w", "x", "y"])
        try realm.write { y.name = "z" }
        #expect(tree.leaves[0].leaves[2].name == "z")
    }

    @Test("are followed when another thread edits their list, in place or all of it")
    func followsOthers() throws {
        let identifier = "\(UUID())"
        let configuration = Realm.Configuration(
            inMemoryIdentifier: identifier, objectTypes: [Tree.self, Leaf.self])
        let realm = try Realm(configuration: configuration)
        let tree = try tree(realm, "a", "b", "c")
        let (a, b, c) = (tree.leaves[0], tree.leaves[1], tree.leaves[2])
        func elsewhere(_ edit: @escaping @Sendable (List<Leaf>) -> Void) throws {
            let thread = Thread {
                guard let realm = try? Realm(configuration: configuration),
                    let tree = realm.objects(Tree.self).first
                else { return }
                try? realm.write { edit(tree.leaves) }
            }
            thread.start()
            while !thread.isFinished { usleep(1000) }
            #expect(realm.refresh())
        }
        try elsewhere { leaves in
            leaves.remove(at: 0)
            leaves[1].name = "c2"
            leaves.insert(Leaf(value: ["name": "new"]), at: 0)
            leaves.insert(Leaf(value: ["name": "newer"]), at: 0)
        }
        #expect(tree.leaves.map(\.name) == ["newer", "new", "b", "c2"])
        #expect(b.name == "b" && c.name == "c2")
        try elsewhere { leaves in
            for index in 0..<200 {
                leaves.insert(
                    Leaf(value: ["name": "x\(index)"]), at: index.isMultiple(of: 2) ? 0 : 3)
            }
        }
        #expect(tree.leaves.count == 204 && b.name == "b" && c.name == "c2")
        try realm.write { b.name = "b2" }
        #expect(tree.leaves.filter("name == 'b2'").count == 1 && a.realm == realm)
        try elsewhere { $0.removeAll() }
        #expect(b.isInvalidated && c.isInvalidated)
    }

    @Test("in lists within one another are followed when another thread edits any of those")
    func followsOthersInside() throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "\(UUID())", objectTypes: [Tree.self, Leaf.self])
        let realm = try Realm(configuration: configuration)
        func leaf(_ name: String, _ leaves: String...) -> Leaf {
            Leaf(value: ["name": name, "leaves": leaves.map { ["name": $0] }])
        }
        let tree = try tree(realm)
        try realm.write {
            tree.leaves.append(objectsIn: [leaf("a", "a1", "a2"), leaf("b", "b1", "b2", "b3")])
            tree.crown = leaf("crown", "c1", "c2")
            tree.named["k"] = leaf("k", "k1", "k2")
            tree.named["l"] = leaf("l")
        }
        let list = tree.leaves[1].leaves
        let (a2, b3) = (tree.leaves[0].leaves[1], list[2])
        let c2 = try #require(tree.crown?.leaves[1])
        let k2 = try #require(tree.named["k"]??.leaves[1])
        let l = try #require(tree.named["l"] ?? nil)
        func elsewhere(_ edit: @escaping (Tree) -> Void) throws {
            try Shared.onThread {
                let realm = try Realm(configuration: configuration)
                let tree = try #require(realm.objects(Tree.self).first)
                try realm.write { edit(tree) }
            }
            #expect(realm.refresh())
        }
        try elsewhere { tree in
            tree.leaves.insert(Leaf(), at: 0)
            tree.leaves[2].leaves.remove(at: 0)
            tree.leaves[2].leaves.insert(Leaf(), at: 0)
            tree.leaves[2].leaves.insert(Leaf(), at: 1)
            tree.leaves[1].leaves[1].name = "a2!"
            tree.crown?.leaves.remove(at: 0)
            tree.named["k"]??.leaves.insert(Leaf(), at: 0)
            tree.named["l"] = nil
        }
        #expect(tree.leaves[2].leaves.map(\.name) == ["", "", "b2", "b3"] && list.count == 4)
        #expect([a2, b3, c2, k2].map(\.name) == ["a2!", "b3", "c2", "k2"])
        #expect(l.isInvalidated && b3.isSameObject(as: list[3]))
        try realm.write { b3.name = "b3!" }
        try elsewhere { tree in
            tree.named["l"] = Leaf()
            tree.leaves.move(from: 2, to: 0)
            tree.leaves.removeLast()
            tree.crown = nil
        }
        #expect(b3.name == "b3!" && list.map(\.name).last == "b3!" && k2.name == "k2")
        #expect(l.isInvalidated && a2.isInvalidated && c2.isInvalidated)
    }

    @Test("are where they were when a write is rolled back")
    func rollsBack() throws {
        let realm = try realm()
        let tree = try tree(realm, "a", "b")
        let (a, b) = (tree.leaves[0], tree.leaves[1])
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try realm.write {
                tree.leaves.remove(at: 0)
                realm.delete(b)
                #expect(a.isInvalidated && b.isInvalidated)
                throw Stop()
            }
        }
        #expect(a.name == "a" && b.name == "b")
    }

    @Test("that are overwritten or cleared are gone, with all that they hold")
    func cascades() throws {
        let realm = try realm()
        let tree = try tree(realm)
        let crown = Leaf(value: ["name": "old"])
        crown.inner = Leaf(value: ["name": "deep"])
        try realm.write { tree.crown = crown }
        let (old, deep) = (try #require(tree.crown), try #require(tree.crown?.inner))
        try realm.write { tree.crown = Leaf(value: ["name": "new"]) }
        #expect(old.isInvalidated && deep.isInvalidated && tree.crown?.name == "new")
        let new = try #require(tree.crown)
        try realm.write { tree.crown = nil }
        #expect(new.isInvalidated && tree.crown == nil)
        try realm.write { tree.leaves.append(Leaf(value: ["link": tree])) }
        let leaf = tree.leaves[0]
        try realm.write { realm.delete(tree) }
        #expect(leaf.isInvalidated && realm.isEmpty)
    }

    @Test("are deleted out of their owner by themselves")
    func deletes() throws {
        let realm = try realm()
        let tree = try tree(realm, "a", "b", "c")
        let c = tree.leaves[2]
        try realm.write {
            tree.crown = Leaf()
            tree.named["k"] = Leaf()
            realm.delete(tree.leaves[1])
            if let crown = tree.crown { realm.delete(crown) }
        }
        #expect(tree.leaves.map(\.name) == ["a", "c"] && c.name == "c" && tree.crown == nil)
        let named = try #require(tree.named["k"] ?? nil)
        try realm.write { tree.named["k"] = .some(Leaf(value: ["name": "other"])) }
        #expect(named.isInvalidated && tree.named["k"]??.name == "other")
    }

    @Test("that have an owner are given to no other")
    func oneOwner() throws {
        let realm = try realm()
        let tree = try tree(realm, "a")
        try realm.write { tree.crown = Leaf() }
        func message(_ body: () -> Void) -> String? {
            let fault = #expect(throws: ValueFault.self) { try realm.write(body) }
            return fault?.message
        }
        #expect(
            message { tree.crown = tree.leaves[0] }
                == "Can't set link to existing managed embedded object")
        #expect(
            message { tree.leaves.append(tree.leaves[0]) }
                == "Cannot add an existing managed embedded object to a List.")
        #expect(
            message { tree.named["k"] = tree.leaves[0] }
                == "Cannot add an existing managed embedded object to a Dictionary.")
        #expect(tree.leaves.count == 1 && tree.named.count == 0 && tree.crown != nil)
    }

    @Test("are made by their owner alone")
    func needsOwner() throws {
        let realm = try realm()
        let fault = #expect(throws: ValueFault.self) {
            try realm.write { realm.dynamicCreate("Leaf", value: ["name": "lost"]) }
        }
        #expect(fault?.message == "Embedded objects cannot be created directly")
    }

    @Test("are the same object when they are at the same place, and never equal by their values")
    func identity() throws {
        let realm = try realm()
        let tree = try tree(realm, "a", "a")
        #expect(tree.leaves[0].isSameObject(as: tree.leaves[0]))
        #expect(!tree.leaves[0].isSameObject(as: tree.leaves[1]))
        #expect(tree.leaves[0] != tree.leaves[1])
        #expect(tree.leaves[0].realm == realm)
    }

    @Test("link to objects of their own")
    func links() throws {
        let realm = try realm()
        let tree = try tree(realm, "a")
        try realm.write { tree.leaves[0].link = tree }
        #expect(tree.leaves[0].link == tree)
    }

    @Test("are changed in place when their owner is updated with some of their values")
    func updates() throws {
        let realm = try realm()
        try realm.write {
            realm.create(
                Tree.self,
                value: ["id": 1, "crown": ["name": "a", "inner": ["name": "b"]]] as [String: Any])
        }
        let tree = try #require(realm.objects(Tree.self).first)
        let crown = try #require(tree.crown)
        try realm.write {
            realm.create(
                Tree.self, value: ["id": 1, "crown": ["name": "c"]] as [String: Any],
                update: .modified)
        }
        #expect(tree.crown?.name == "c" && tree.crown?.inner?.name == "b" && crown.name == "c")
        try realm.write {
            realm.create(Tree.self, value: ["id": 1, "crown": NSNull()], update: .modified)
        }
        #expect(tree.crown == nil && crown.isInvalidated)
    }
}
