extension Realm {
    /// Makes an object of what a value states and adds it; with `update` an object of the same primary key is changed, and keeps
    /// what the value does not state.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - value: As of `init(value:)`; an object of another realm is copied, and so is any embedded one.
    ///   - update: What becomes of an object that has the primary key.
    /// - Returns: The managed object.
    @discardableResult
    public func create<T: Object>(
        _ type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> T {
        make(T(), value, update)
    }

    /// Makes an object of an asymmetric class, which goes to the class's outbox.
    public func create<T: AsymmetricObject>(_ type: T.Type, value: Any = [String: Any]()) {
        _ = make(T(), value, .error)
    }

    /// Gives an object what a value states, and adds it.
    func make<T: ObjectBase>(_ object: T, _ value: Any, _ update: UpdatePolicy) -> T {
        let transaction = core.requireWrite()
        core.flush()
        let binding = core.binding(of: type(of: object))
        if binding.model.kind == .embedded {
            core.fail("Embedded objects cannot be created directly")
            return object
        }
        if update != .error, binding.rowClass.primaryKeyIndex == nil {
            core.fail("'\(binding.model.name)' does not have a primary key and can not be updated")
            return object
        }
        let reader = ValueReader(core, notesStated: update != .error)
        do { try reader.fill(object, from: value) } catch {
            core.fail(error.message)
            return object
        }
        let graph = ObjectGraph(core, transaction, update)
        if update != .error { graph.stated = reader.stated }
        graph.copiesEmbedded = true
        graph.add(object)
        return object
    }
}
