import Rows

extension WriteTransaction {
    /// What a change made inside ``attempt(_:)`` replaced.
    ///
    /// Only what is not known otherwise: the overlay keeps an undo list of its own, records of changes are
    /// added at the end, and of counters ``attemptedStates`` has the oldest values.
    enum Undo {
        /// A record of a change was altered.
        case alteredChange(position: Int, before: ChangeRecord)
        /// A lost link was noted that was not before.
        case addedLostLink(LostLink)
        /// One more link waits for this object.
        case addedPending(ObjectIdentity)
        /// The links that waited for an object were forgotten.
        case removedPending(ObjectIdentity, before: [PendingLink])
    }

    /// Runs a part of the transaction that may fail by itself: when `body` throws, what it changed is
    /// rolled back and the transaction can go on.
    ///
    /// Parts do not nest. Cost: a few stores for each change that is made inside.
    ///
    /// - Throws: What `body` throws.
    package func attempt<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let point = overlay.mark()
        let operationCountBefore = operationCount
        let changeCountBefore = changes.count
        let heldTargetCountBefore = heldTargets.count
        let madeCountBefore = keyOrder.count
        attemptedUniqueCheckStart = uniqueChecks.count
        let faultCountBefore = migrationFaults.count
        isAttempting = true
        defer {
            isAttempting = false
            if !undo.isEmpty { undo.removeAll(keepingCapacity: true) }
            if !attemptedStates.isEmpty { attemptedStates.removeAll(keepingCapacity: true) }
        }
        do throws(StoreError) {
            return try body()
        } catch {
            overlay.roll(backTo: point)
            operationCount = operationCountBefore
            migrationFaults.removeSubrange(faultCountBefore...)
            while let change = undo.popLast() { takeBack(change) }
            truncateChanges(to: changeCountBefore)
            uniqueChecks.removeSubrange(attemptedUniqueCheckStart...)
            heldTargets.removeSubrange(heldTargetCountBefore...)
            keyOrder.truncate(to: madeCountBefore)
            for before in attemptedStates { group.setClassState(before.classIndex, before.state) }
            throw error
        }
    }

    /// Rolls back everything, so that the body can begin again.
    package func restart() {
        rollBack()
        forget()
    }

    /// Rolls back everything if objects were made in another order than that of their keys, so that the
    /// body can run once more and give them keys in order.
    ///
    /// - Returns: Whether the body has to run again; false in its second run, and while links wait for
    ///   their targets.
    package func restartInOrder() -> Bool {
        guard pending.isEmpty else { return false }
        let corrected = keyOrder.corrected { index in
            statesBefore.first { $0.classIndex == index }?.state.nextKey ?? 0
        }
        guard let corrected else { return false }
        restart()
        keyOrder = corrected
        return true
    }

    private func takeBack(_ change: Undo) {
        switch change {
        case .alteredChange(let position, let before): changes[position] = before
        case .addedLostLink(let link): lostLinks.remove(link)
        case .addedPending(let target):
            pending[target]?.removeLast()
            if pending[target]?.isEmpty ?? false { pending[target] = nil }
        case .removedPending(let target, let before): pending[target] = before
        }
    }

    // MARK: Changes that can be rolled back

    /// Adds a link to those that wait for its target.
    func addPending(_ target: ObjectIdentity, _ link: PendingLink) {
        if isAttempting { undo.append(.addedPending(target)) }
        pending[target, default: []].append(link)
    }

    /// Forgets the links that waited for an object, because it is there.
    func removePending(_ target: ObjectIdentity) {
        guard let waiting = pending.removeValue(forKey: target), isAttempting else { return }
        undo.append(.removedPending(target, before: waiting))
    }

    /// Notes that an object lost an incoming link.
    func addLostLink(_ link: LostLink) {
        if lostLinks.insert(link).inserted, isAttempting { undo.append(.addedLostLink(link)) }
    }
}
