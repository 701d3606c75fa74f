import Holdfast

/// The tasks in a realm, and what can be done with them.
struct ToDo {
    let realm: Realm

    /// What is still to be done, important things first.
    var open: Results<Item> {
        realm.objects(Item.self)
            .where { !$0.isDone }
            .sorted(by: [SortDescriptor(keyPath: \Item.priority, ascending: false), "number"])
    }

    /// The tasks that a condition in the query language finds: it is the user's, so a fault in it is thrown.
    func find(_ condition: String) throws -> Results<Item> {
        try realm.objects(Item.self).filter(validating: condition).sorted(by: \.number)
    }

    func item(_ number: Int) throws -> Item {
        guard let item = realm.object(ofType: Item.self, forPrimaryKey: number) else {
            throw Fault("There is no task \(number).")
        }
        return item
    }

    /// Adds a task; a word that begins with `#` is a tag, with `!` the priority, and with `@` a list.
    func add(_ words: [String]) throws -> Item {
        let item = Item()
        var title: [String] = []
        var lists: [String] = []
        for word in words {
            let rest = word.dropFirst()
            switch word.first {
            case "#": item.tags.insert(String(rest))
            case "@": lists.append(String(rest))
            case "!":
                guard let priority = Priority(name: rest) else {
                    throw Fault("A priority is low, normal or high, not '\(rest)'.")
                }
                item.priority = priority
            default: title.append(word)
            }
        }
        guard !title.isEmpty else { throw Fault("A task needs a title.") }
        item.title = title.joined(separator: " ")
        return try realm.write {
            // The number is free when the write has begun: no other can come between.
            item.number = (realm.objects(Item.self).max(of: \.number) ?? 0) + 1
            realm.add(item)
            for name in lists {
                realm.create(ItemList.self, value: ["name": name], update: .modified)
                    .items.append(item)
            }
            return item
        }
    }

    func addStep(_ title: String, to number: Int) throws {
        let item = try item(number)
        try realm.write { item.steps.append(Step(value: ["title": title])) }
    }

    /// Ticks off a task with all of its steps.
    func finish(_ number: Int) throws {
        let item = try item(number)
        try realm.write {
            item.isDone = true
            for step in item.steps { step.isDone = true }
        }
    }

    /// Deletes what is done, and lists that have become empty.
    func clean() throws -> Int {
        let done = realm.objects(Item.self).where { $0.isDone }
        return try realm.write {
            let count = done.count
            realm.delete(done)
            realm.delete(realm.objects(ItemList.self).where { $0.items.count == 0 })
            return count
        }
    }
}
