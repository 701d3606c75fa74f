import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import Synchronization

/// The access document of a running service, in step with its store. Thread-safe.
///
/// No other process uses the store, so this object sees every change: documents are set through it, and it notices a schema
/// change when rules are requested for another schema.
package final class AccessControl: Sendable {
    private struct State {
        var stored: StoredDocument?
        /// One entry for each schema, the latest first: the present schema, and the schema of a pinned version.
        var known: [VisibilityCache] = []
    }

    private let store: Store
    private let state: Mutex<State>
    private let isSet: Atomic<Bool>
    private let hasRoleForAnyone: Atomic<Bool>
    private let hasSignUp: Atomic<Bool>
    private let fault: @Sendable (StoreError) -> RequestFault
    private let observers = Mutex<[@Sendable () -> Void]>([])

    /// Reads the document of a store. If reading fails, users may do nothing.
    ///
    /// - `fault`: Converts a failed operation to a fault, and logs details that callers must not see.
    package init(_ store: Store, fault: @escaping @Sendable (StoreError) -> RequestFault) {
        self.store = store
        self.fault = fault
        do {
            let stored = try store.accessDocument()
            state = Mutex(State(stored: stored))
            isSet = Atomic(stored != nil)
            let document = stored.flatMap { try? AccessReader.read(text: $0.text) }
            hasRoleForAnyone = Atomic(document?.isForAnyone ?? false)
            hasSignUp = Atomic(document?.signUp ?? false)
            // Past values that rules read have to be kept even before the first user sends a request.
            if stored != nil { _ = try? rules(for: store.catalog.rows) }
        } catch {
            // The error is logged. A document that cannot be read allows nothing.
            _ = fault(error)
            state = Mutex(State())
            isSet = Atomic(true)
            hasRoleForAnyone = Atomic(false)
            hasSignUp = Atomic(false)
        }
    }

    /// Reads the document with its warnings, or with its faults if it is invalid in the schema. Nil if there is no document.
    package func document() throws(RequestFault)
        -> (revision: UInt64, document: AccessDocument, warnings: [RequestFault.Entry])?
    {
        let stored: StoredDocument?
        do { stored = try store.accessDocument() } catch { throw fault(error) }
        guard let stored else { return nil }
        let schema = store.catalog.rows
        if let rules = try rules(for: schema), rules.revision == stored.revision {
            return (stored.revision, rules.document, rules.warnings)
        }
        let document = try AccessReader.read(text: stored.text)
        do throws(RequestFault) {
            let rules = try AccessRules(
                document, revision: stored.revision, rulesRevision: stored.rulesRevision,
                schema: schema)
            return (stored.revision, document, rules.warnings)
        } catch { return (stored.revision, document, error.errors) }
    }

    /// Whether there is a document. Cost: an atomic load.
    package var hasDocument: Bool { isSet.load(ordering: .acquiring) }

    /// Whether a role applies to anonymous visitors, not only to users. Cost: an atomic load.
    package var isForAnyone: Bool { hasRoleForAnyone.load(ordering: .acquiring) }

    /// Whether anonymous visitors may create accounts. Cost: an atomic load.
    package var allowsSignUp: Bool { hasSignUp.load(ordering: .acquiring) }

    /// The rules for a schema; nil if there is no document, or if it is invalid in that schema. A document is checked once for
    /// each schema.
    package func rules(for schema: RowSchema) throws(RequestFault) -> AccessRules? {
        try known(in: schema).rules
    }

    /// The rules for a schema, with the visibilities computed by them.
    private func known(in schema: RowSchema) throws(RequestFault) -> VisibilityCache {
        let mayBePast = schema.definition.revision < store.catalog.schema.revision
        let known = state.withLock { $0.known.first { $0.schema === schema } }
        // The document may have changed since this entry was made for the then present schema.
        if let known, known.isPast == mayBePast {
            if known.hasEnded { throw .snapshotOfOtherNames }
            return known
        }
        // A schema change may have changed the document with it.
        var stored: StoredDocument?
        var present = schema
        if hasDocument {
            do { (stored, present) = try store.accessDocumentWithSchema() } catch {
                throw fault(error)
            }
        }
        let isPast = schema.definition.revision < present.definition.revision
        var hasEnded = false
        let rules = stored.flatMap { stored -> AccessRules? in
            guard let document = try? AccessReader.read(text: stored.text) else { return nil }
            let rules = try? AccessRules(
                document, revision: stored.revision, rulesRevision: stored.rulesRevision,
                schema: isPast ? present : schema)
            guard isPast, let rules else { return rules }
            // A pinned version has the schema of its time.
            let former = (try? rules.document(for: schema)).flatMap(\.self).flatMap {
                try? AccessRules(
                    $0, revision: stored.revision, rulesRevision: stored.rulesRevision,
                    schema: schema)
            }
            hasEnded = former == nil
            return former
        }
        let made = VisibilityCache(rules, in: schema, isPast: isPast, hasEnded: hasEnded)
        keep(made, stored)
        if hasEnded { throw .snapshotOfOtherNames }
        return made
    }

    /// Keeps the rules for a schema, unless a newer document is known.
    private func keep(_ made: VisibilityCache, _ stored: StoredDocument?) {
        state.withLock { state in
            let (revision, present) = (stored?.revision ?? 0, state.stored?.revision ?? 0)
            guard revision >= present else { return }
            if revision > present { state = State(stored: stored) }
            let others = state.known.filter { $0.schema !== made.schema }
            state.known = [made] + others.prefix(1)
            if let rules = made.rules, made.schema === store.catalog.rows {
                store.logPastValues(of: rules.kept)
            }
        }
    }

    /// Calls `body` whenever the rules change, on the thread that set them.
    package func observe(_ body: @escaping @Sendable () -> Void) {
        observers.withLock { $0.append(body) }
    }

    /// Computes a principal's rights on an unrestricted view of the store. Nil if there is no document. A document that is
    /// invalid in the view's schema grants nothing.
    package func view(
        for principal: Principal, on read: StoreView
    ) throws(RequestFault) -> AccessView? {
        try hasDocument ? decided(for: principal, on: read).view : nil
    }

    /// Returns the principal's read access on an unrestricted view of the store, from the cache if possible. It is empty if no
    /// document is in force. Cost if cached: two locks, and reading the user's claims and object values that rules use.
    func visibility(for principal: Principal, on read: StoreView) throws(RequestFault) -> Visibility
    {
        try decided(for: principal, on: read).visibility
    }

    /// Returns the principal's read access and rights, from the cache if possible.
    private func decided(
        for principal: Principal, on read: StoreView
    ) throws(RequestFault) -> (visibility: Visibility, view: AccessView) {
        let known = try known(in: read.rows)
        // No facts are needed if a token's right decides, or if no document is in force.
        var facts: PrincipalFacts?
        if principal.token == nil, let rules = known.rules {
            do throws(StoreError) {
                facts = try PrincipalFacts(principal, usersClass: rules.usersClass, on: read)
            } catch { throw fault(error) }
        }
        let references = facts == nil ? [] : known.rules?.references ?? []
        let cacheKey = VisibilityCache.Key(
            isUser: principal.user != nil, token: principal.token, classes: principal.classes,
            values: references.map { facts?.value(of: $0) })
        if let decided = known.decided(for: cacheKey) { return decided }
        let (view, mark) = made(for: principal, facts, by: known)
        let visibility: Visibility
        do throws(StoreError) {
            // Values that could not be read in time must not be used as the user's values.
            visibility = try read.checked { () throws(StoreError) in
                known.visibility(of: view, named: mark)
            }
        } catch { throw fault(error) }
        known.keep(visibility, of: cacheKey, view, named: mark)
        return (visibility, view)
    }

    /// Makes the permissions and the name of a principal's view.
    ///
    /// - `facts`: Nil if rules are not evaluated.
    private func made(
        for principal: Principal, _ facts: PrincipalFacts?, by known: VisibilityCache
    ) -> (AccessView, ViewMark) {
        var view = AccessView.nothing
        if let token = principal.token {
            view = AccessView(token.right, principal.classes, in: known.schema)
        } else if let rules = known.rules, let facts {
            view = rules.view(for: facts, isUser: principal.user != nil)
            view.limit(to: principal.classes, in: known.schema)
        }
        return (view, ViewMark(of: view, by: known.rules, for: facts, key: store.ticketKey))
    }

    /// Finds out whether a principal may have been barred at some version since one, or whether its token had other terms then.
    ///
    /// Cost: a look-up. It reads the last commit and not the view, since unblocking a user makes no new version.
    func wasShutOut(
        _ principal: Principal, since version: UInt64, on read: StoreView
    ) throws(RequestFault) -> Bool {
        if version < principal.accessVersion { return true }
        guard let user = principal.user else { return false }
        do throws(StoreError) {
            guard let record = try store.user(user) else { return false }
            if version < record.accessVersion { return true }
            guard record.horizon > .min,
                let milliseconds = try read.milliseconds(ofVersion: version + 1)
            else { return false }
            // Tokens, sessions and cursors that were issued before the horizon are void.
            return Int64(clamping: milliseconds / 1000) < record.horizon
        } catch { throw fault(error) }
    }

    /// Finds out whether a principal may have had another view at an earlier version because its own object, or an object that
    /// this leads to, was different. The document must be the same, as the name of the view shows.
    ///
    /// - Parameters:
    ///   - principal: The principal.
    ///   - version: The version to begin with.
    ///   - changes: The changes from that version to the view's version, of the classes that decide.
    ///   - read: A view that shows everything.
    /// - Returns: Whether the view was or may have been different.
    /// - Throws: ``RequestFault`` when storage fails.
    func readOtherwise(
        _ principal: Principal, since version: UInt64, _ changes: FoldedChanges, on read: StoreView
    ) throws(RequestFault) -> Bool {
        let known = try known(in: read.rows)
        guard principal.token == nil, let rules = known.rules,
            let (classIndex, key) = rules.decidingKey(of: principal)
        else { return false }
        let facts: PrincipalFacts
        do throws(StoreError) {
            facts = try PrincipalFacts(principal, usersClass: rules.usersClass, on: read)
        } catch { throw fault(error) }
        let values = rules.decidingReferences.map { facts.value(of: $0) }
        let (_, mark) = made(for: principal, facts, by: known)
        let object = PastObject(
            classIndex: classIndex, primaryKey: key, reading: rules.decidingReads, changes,
            in: read)
        do throws(StoreError) {
            return try read.checked { () throws(StoreError) in
                !object.forEachVersion(since: version) { object, source in
                    let facts = PrincipalFacts(principal, object, in: source, read.rows)
                    return rules.decidingReferences.map { facts.value(of: $0) } == values
                        || made(for: principal, facts, by: known).1 == mark
                }
            }
        } catch { throw fault(error) }
    }

    /// Computes a principal's rights in a transaction that begins from an unrestricted view. It may do nothing if no document is
    /// in force.
    func rights(for principal: Principal, on read: StoreView) throws(RequestFault) -> WriteRights {
        let (visibility, view) = try decided(for: principal, on: read)
        let deciding = { @Sendable [self] (read: StoreView) throws(StoreError) in
            do throws(RequestFault) {
                return try rules(for: read.rows)?.decidingObject(of: principal)
            } catch { throw StoreError.refused(error) }
        }
        return WriteRights(of: principal.user, visibility: visibility, deciding: deciding) {
            classIndex in view.roles.compactMap { $0.classes[classIndex]?.writing }
        }
    }

    /// Sets a document and waits until it is durable.
    ///
    /// - Parameters:
    ///   - stated: The document, with the revision that it is based on.
    ///   - precondition: Whether the document may replace the present revision, which is 0 if there is no document.
    /// - Returns: The new rules.
    /// - Throws: ``RequestFault`` `.invalid` if the document is invalid in the schema, `.conflict` if it is based on another
    ///   revision, `.preconditionFailed`.
    package func put(
        _ stated: AccessReader.Stated,
        where precondition: @escaping @Sendable (_ revision: UInt64) -> Bool
    ) throws(RequestFault) -> AccessRules {
        let store = store
        let text = stated.document.text
        let made = Mutex<AccessRules?>(nil)
        do throws(RequestFault) {
            try AwaitedWrite.run(in: store, fault) { transaction throws(StoreError) in
                let present = try transaction.accessDocument()
                let rules: AccessRules
                do throws(RequestFault) {
                    // This thread also changes the schema.
                    rules = try Self.rules(
                        of: stated, text, after: present, where: precondition, store.catalog.rows)
                } catch { throw .refused(error) }
                made.withLock { $0 = rules }
                store.logPastValues(of: rules.kept)
                guard present?.text != text else { return }
                transaction.putAccessDocument(
                    StoredDocument(
                        revision: rules.revision, rulesRevision: rules.rulesRevision, text: text))
            }
        } catch {
            // The former document stays in force.
            if let rules = try rules(for: store.catalog.rows) {
                store.logPastValues(of: rules.kept)
            }
            throw error
        }
        guard let rules = made.withLock({ $0 }) else {
            throw RequestFault(.failed, "internal-error", "The document could not be set.")
        }
        state.withLock { state in
            guard rules.revision >= state.stored?.revision ?? 0 else { return }
            state = State(
                stored: StoredDocument(
                    revision: rules.revision, rulesRevision: rules.rulesRevision, text: text),
                known: [VisibilityCache(rules, in: rules.schema, isPast: false, hasEnded: false)])
            hasRoleForAnyone.store(rules.document.isForAnyone, ordering: .releasing)
            hasSignUp.store(rules.document.signUp, ordering: .releasing)
        }
        isSet.store(true, ordering: .releasing)
        for observer in observers.withLock({ $0 }) { observer() }
        return rules
    }

    /// Checks a document and changes nothing.
    ///
    /// - Returns: The rules as they would be.
    /// - Throws: As ``put(_:where:)``.
    package func preview(
        _ stated: AccessReader.Stated, where precondition: (_ revision: UInt64) -> Bool
    ) throws(RequestFault) -> AccessRules {
        let stored: StoredDocument?
        do { stored = try store.accessDocument() } catch { throw fault(error) }
        return try Self.rules(
            of: stated, stated.document.text, after: stored, where: precondition,
            store.catalog.rows)
    }

    /// Compiles a document that is to replace the stored one. It keeps the stored revision if the text is the same.
    private static func rules(
        of stated: AccessReader.Stated, _ text: String, after stored: StoredDocument?,
        where precondition: (_ revision: UInt64) -> Bool, _ schema: RowSchema
    ) throws(RequestFault) -> AccessRules {
        guard text.utf8.count <= AccessDocument.byteCountMax else {
            throw RequestFault(
                .invalid, "too-large",
                "An access document has at most \(AccessDocument.byteCountMax) bytes.")
        }
        let present = stored?.revision ?? 0
        guard precondition(present) else {
            throw RequestFault(
                .preconditionFailed, "precondition-failed",
                "The access document does not meet the request's precondition; read it again and repeat the "
                    + "change.")
        }
        guard stated.revision == nil || stated.revision == present else {
            throw RequestFault(
                .conflict, "access-revision",
                "The access document was made from another revision than the present one, \(present); read it again and "
                    + "repeat the change.")
        }
        let isSame = stored?.text == text
        return try AccessRules(
            stated.document, revision: isSame ? present : present + 1,
            rulesRevision: isSame ? stored?.rulesRevision : nil, schema: schema)
    }
}
