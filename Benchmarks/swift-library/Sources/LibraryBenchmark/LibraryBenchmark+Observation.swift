import Holdfast

extension LibraryBenchmark {
    /// The observer was not told of all.
    private struct CatchUpChanges: Error {
        let toldCount: Int
    }

    /// Commits beside observed results of all people, sorted, and what their observer is told of ten that have moved.
    func observation() throws {
        try fill()
        let writes = 100
        let keys = try core.peopleKeys()
        let before = restingByteCount()
        let people = realm.objects(Person.self).sorted(byKeyPath: "score")
        var changedCount = 0
        let block: (RealmCollectionChange<Results<Person>>) -> Void = { change in
            if case .update(_, let deletions, let insertions, let modifications) = change {
                changedCount += deletions.count + insertions.count + modifications.count
            }
        }
        var token: NotificationToken? = people.observe(block)
        // The first call comes with the first refresh, a thread's loop being far.
        realm.refresh()
        report(
            "observed-memory", Double(restingByteCount() - before) / Double(people.count), "bytes")

        var times: [Double] = []
        for round in 0..<writes {
            try core.changeScores(
                of: (0..<10).map { keys[(round * 7919 + $0 * 104_729) % keys.count] })
            times.append(contest.time { realm.refresh() })
        }
        guard changedCount >= 10 * writes else { throw CatchUpChanges(toldCount: changedCount) }
        report(
            "observed-notification", times.sorted()[writes / 2] * 1e3, "ms")

        func commit() throws {
            for round in 0..<writes { try core.changeScores(of: [keys[round * 7919 % keys.count]]) }
        }
        var ratios: [Double] = []
        for _ in 0..<rounds {
            let beside = try contest.time(commit)
            realm.refresh()
            token?.invalidate()
            let alone = try contest.time(commit)
            realm.refresh()
            ratios.append(beside / alone)
            token = people.observe(block)
            realm.refresh()
        }
        token?.invalidate()
        report("observed-commit", ratios.sorted()[rounds / 2], "×")
    }
}
