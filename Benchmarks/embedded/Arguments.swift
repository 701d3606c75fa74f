import Glibc

/// The parsed command line.
struct Arguments {
    /// The folder of the people.
    var peopleDirectory = ""
    /// The number of people.
    var objectCount = 1_000_000
    /// Runs of each measurement.
    var rounds = 5
    /// The only measurement to make; empty for all.
    var only = ""
    /// The measurements: `rows` for the scan, `reads` or `writes` for the embedded table.
    var suite = "rows"
    /// The folder in which the store is made.
    var workDirectory = ""

    init(_ words: [String]) throws(Failure) {
        var index = 1
        while index < words.count {
            guard index + 1 < words.count else {
                throw Failure(description: "\(words[index]) needs a value")
            }
            let value = words[index + 1]
            switch words[index] {
            case "--people": peopleDirectory = value
            case "--work": workDirectory = value
            case "--only": only = value
            case "--suite":
                guard ["rows", "reads", "writes"].contains(value) else {
                    throw Failure(description: "--suite is rows, reads or writes")
                }
                suite = value
            case "--rounds":
                guard let count = Int(value), count > 0 else {
                    throw Failure(description: "--rounds needs a number")
                }
                rounds = count
            case "--objects":
                guard let count = Int(value), count > 0 else {
                    throw Failure(description: "--objects needs a number")
                }
                objectCount = count
            default: throw Failure(description: "unknown option \(words[index])")
            }
            index += 2
        }
        if peopleDirectory.isEmpty { throw Failure(description: "--people DIRECTORY is needed") }
        if workDirectory.isEmpty { workDirectory = "\(peopleDirectory)/embedded-\(getpid())" }
    }
}

/// Prints a figure as a line of JSON.
func report(_ name: String, _ value: Double, _ unit: String) {
    print("{\"name\":\"\(name)\",\"value\":\(value),\"unit\":\"\(unit)\"}")
    fflush(nil)
}

/// Why nothing was measured.
struct Failure: Error, CustomStringConvertible {
    var description: String
}

/// Nanoseconds of processor time that this process has used, or this thread alone, on a machine that does other
/// things too the steadier figure.
func processorNanoseconds(of clock: clockid_t = CLOCK_PROCESS_CPUTIME_ID) -> UInt64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}
