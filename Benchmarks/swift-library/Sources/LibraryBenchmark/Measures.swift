import Foundation

/// Times of this process in seconds.
enum Clock {
    static var wall: Double { now(CLOCK_MONOTONIC) }
    /// Of the processor, by all threads: on a machine that does other things too the steadier figure.
    static var work: Double { now(CLOCK_PROCESS_CPUTIME_ID) }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The bytes of anonymous memory of this process.
func residentByteCount() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
        let line = text.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") })
    else { return 0 }
    return (line.split(separator: " ").compactMap { Int($0) }.first ?? 0) * 1024
}

/// The same once the allocator has given back what it keeps for later.
func restingByteCount() -> Int {
    if let trim = dlsym(nil, "malloc_trim") {
        typealias Trim = @convention(c) (Int) -> CInt
        _ = unsafeBitCast(trim, to: Trim.self)(0)
    }
    return residentByteCount()
}

/// Runs what takes part in turn, A B A B, and keeps the time of each run.
struct Contest {
    let rounds: Int
    /// The clock that counts.
    var clock: () -> Double = { Clock.work }

    /// The seconds that `body` takes, what it returns kept from the optimizer.
    func time(_ body: () throws -> Void) rethrows -> Double {
        let start = clock()
        try body()
        return clock() - start
    }

    /// The median seconds of both, and the median of their ratios.
    func run(
        _ library: () throws -> Void, _ core: () throws -> Void
    ) rethrows -> (library: Double, core: Double, ratio: Double) {
        var times: [(Double, Double)] = []
        for _ in 0..<rounds { times.append((try time(library), try time(core))) }
        return (
            median(times.map(\.0)), median(times.map(\.1)), median(times.map { $0.0 / $0.1 })
        )
    }

    func run(_ library: () throws -> Void) rethrows -> Double {
        median(try (0..<rounds).map { _ in try time(library) })
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

/// Runs `body` on so many threads at a time and waits for all; `concurrentPerform` has no more than there are processors.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let ended = DispatchSemaphore(value: 0)
    for number in 0..<count {
        Thread.detachNewThread {
            body(number)
            ended.signal()
        }
    }
    for _ in 0..<count { ended.wait() }
}

/// Prints a figure as a line of JSON.
func report(_ name: String, _ value: Double, _ unit: String) {
    print("{\"name\":\"\(name)\",\"value\":\(value),\"unit\":\"\(unit)\"}")
    fflush(nil)
}

nonisolated(unsafe) private var sink = 0

/// Keeps a result from the optimizer.
@inline(never) func keep(_ value: Int) { sink &+= value }
