// What every module shares. BuildsAgreeTests fails when this build and the Maven build differ.

allprojects {
    group = "io.konduit"
    version = "0.1.0-SNAPSHOT"
}

// -Plong brings in the long fault and soak runs, as the profile of that name does in Maven.
val longRuns = providers.gradleProperty("long").isPresent

// Switches of the tests, such as -Dkonduit.test.postgres=testcontainers: handed on to the JVM that runs them.
val testSwitches = providers.systemPropertiesPrefixedBy("konduit.")

subprojects {
    // The BOMs decide every version they name, as in Maven. They are not published: an application keeps its own Spring Boot.
    val management = configurations.create("management") {
        isCanBeConsumed = false
        isCanBeResolved = false
    }
    configurations
        .matching { it.name.endsWith("Classpath") || it.name.endsWith("annotationProcessor", ignoreCase = true) }
        .configureEach { extendsFrom(management) }
    dependencies {
        add("management", enforcedPlatform(rootProject.libs.spring.boot.dependencies))
        add("management", enforcedPlatform(rootProject.libs.embedded.postgres.binaries.bom))
    }

    tasks.withType<JavaCompile>().configureEach {
        options.release = 17
        options.encoding = "UTF-8"
        options.compilerArgs.addAll(listOf("-parameters", "-Xlint:all,-processing,-serial,-try"))
    }

    tasks.withType<Test>().configureEach {
        useJUnitPlatform {
            if (!longRuns) {
                excludeTags("long")
            }
        }
        systemProperties(testSwitches.get())
        maxHeapSize = "1g"
        // As in Maven: each JVM has a PostgreSQL of its own, and most tests wait more than they compute.
        maxParallelForks = 2
    }

    // Only modules that ask for 'maven-publish' are published, with the versions this build was tested with.
    pluginManager.withPlugin("maven-publish") {
        extensions.configure<JavaPluginExtension> {
            withSourcesJar()
            withJavadocJar()
        }
        // The Javadoc of the public packages, as in Maven. A warning fails the build.
        tasks.withType<Javadoc>().configureEach {
            listOf("", "admin/", "autoconfigure/", "event/", "testing/").forEach { include("io/konduit/queue/$it*.java") }
            options.encoding = "UTF-8"
            (options as StandardJavadocDocletOptions).apply {
                addStringOption("Xdoclint:all,-missing", "-quiet")
                addBooleanOption("Werror", true)
            }
        }
        extensions.configure<PublishingExtension> {
            publications.create<MavenPublication>("maven") {
                from(components["java"])
                versionMapping {
                    usage("java-api") {
                        fromResolutionOf("runtimeClasspath")
                    }
                    usage("java-runtime") {
                        fromResolutionResult()
                    }
                }
                pom {
                    name = project.name
                    description = provider { project.description }
                    licenses {
                        license {
                            name = "Apache-2.0"
                            url = "https://www.apache.org/licenses/LICENSE-2.0"
                        }
                    }
                }
            }
        }
    }
}
