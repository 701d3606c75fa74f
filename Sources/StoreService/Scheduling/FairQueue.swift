/// Work of a client in a queue.
package protocol QueuedWork {
    var client: ClientKey { get }
}

/// Jobs that wait, in the order of their clients' turns: one job of each client, then the next of each.
package struct FairQueue<Job: QueuedWork> {
    private var jobs: [ClientKey: [Job]] = [:]
    /// The clients that have jobs here, the next one first.
    private(set) var clients: [ClientKey] = []
    /// The number of waiting jobs.
    package private(set) var count = 0

    package init() {}

    var isEmpty: Bool { count == 0 }

    /// How many jobs of a client wait.
    package func count(of client: ClientKey) -> Int { jobs[client]?.count ?? 0 }

    /// The job of a client that waits for longest.
    func first(of client: ClientKey) -> Job? { jobs[client]?.first }

    /// Appends a job behind the other jobs of its client.
    package mutating func append(_ job: Job) {
        count += 1
        if jobs[job.client]?.append(job) == nil {
            jobs[job.client] = [job]
            clients.append(job.client)
        }
    }

    /// Removes and returns the next job; its client is last in line afterwards.
    package mutating func popFirst() -> Job? { clients.first.flatMap { popFirst(of: $0) } }

    mutating func popFirst(of client: ClientKey) -> Job? {
        guard let index = clients.firstIndex(of: client), let job = jobs[client]?.removeFirst()
        else { return nil }
        count -= 1
        clients.remove(at: index)
        if jobs[client]?.isEmpty ?? true {
            jobs[client] = nil
        } else {
            clients.append(client)
        }
        return job
    }

    /// Removes and returns the newest job of the client that has most jobs, if it has more than `count`.
    package mutating func popLast(ofClientWithMoreThan count: Int) -> Job? {
        guard let client = clients.max(by: { self.count(of: $0) < self.count(of: $1) }),
            self.count(of: client) > count, let job = jobs[client]?.popLast()
        else { return nil }
        self.count -= 1
        if jobs[client]?.isEmpty ?? true {
            jobs[client] = nil
            clients.removeAll { $0 == client }
        }
        return job
    }

    /// Removes the jobs that satisfy a condition, and returns them.
    package mutating func removeAll(where condition: (Job) -> Bool) -> [Job] {
        var removed: [Job] = []
        for client in clients {
            guard let own = jobs[client] else { continue }
            let left = own.filter { !condition($0) }
            guard left.count < own.count else { continue }
            removed += own.filter(condition)
            jobs[client] = left.isEmpty ? nil : left
        }
        clients.removeAll { jobs[$0] == nil }
        count -= removed.count
        return removed
    }
}
